package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.jdbc.dialect.ServerTraits;
import dev.pawl.spi.Finding;
import dev.pawl.testservers.PgBouncer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A real PgBouncer in front of PostgreSQL; skipped where there is no such program. */
class PgBouncerTest {

  /** More than after which the driver would prepare a statement on the server. */
  private static final int PAIRS = 20;

  private static PgBouncer start(String mode) {
    var program = PgBouncer.program();
    assumeTrue(program.isPresent(), "skipped: there is no pgbouncer on the PATH");
    return PgBouncer.start(program.orElseThrow(), Databases.postgresServer(), mode);
  }

  @ParameterizedTest
  @ValueSource(strings = {"session", "transaction", "statement"})
  void itIsRecognisedInEveryMode(String mode) throws Exception {
    try (PgBouncer bouncer = start(mode);
        Connection connection = DriverManager.getConnection(bouncer.url())) {
      ServerTraits traits = SqlDatabase.POSTGRESQL.dialect().traits(connection);
      assertThat(traits.pooled()).isTrue();
      assertThat(traits.canListen()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void inTransactionModeTwoNodesExcludeEachOtherAndHandOver(JdbcStrategy strategy)
      throws Exception {
    JdbcOptions options = Databases.newTables().withStrategy(strategy);
    try (PgBouncer bouncer = start("transaction");
        JdbcStore one = JdbcStore.open(bouncer.url(), options);
        JdbcStore other = JdbcStore.open(bouncer.url(), options);
        Pawl a = Pawl.builder(one).responseTimeout(Databases.PATIENCE).build();
        Pawl b = Pawl.builder(other).responseTimeout(Databases.PATIENCE).build()) {
      for (int i = 0; i < PAIRS; i++) {
        a.lock("x").acquire().close();
        b.lock("x").acquire().close();
      }
      Lease first = a.lock("x").acquire();
      assertThat(b.lock("x").tryAcquire()).isEmpty();
      CompletableFuture<Lease> waiting = b.lock("x").acquireAsync(Duration.ofMinutes(1));
      first.close();
      try (Lease second = waiting.get(1, TimeUnit.MINUTES)) {
        assertThat(second.token()).isGreaterThan(first.token());
      }
      assertThat(one.examine().toCompletableFuture().join())
          .filteredOn(each -> each.what().contains("PgBouncer"))
          .singleElement()
          .returns(Finding.Level.WARNING, Finding::level);
    }
  }
}
