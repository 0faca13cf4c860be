package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.lease.LeaseRecords;
import dev.pawl.jdbc.lease.LeaseTable;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.jdbc.wake.Signals;
import dev.pawl.jdbc.wake.WaiterCheck;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A claim is granted, told, or looked for at the very moment at which it begins to wait. */
class WaiterRegistrationTest {

  private final CountingDataSource source = new CountingDataSource();
  private final Signals signals = new Signals();
  private final List<Signal> heard = new ArrayList<>();
  private final ClaimId claim = new ClaimId("waiting", 1);
  private HikariDataSource pool;
  private Connections connections;
  private LeaseTable table;
  private LeaseRecords rows;

  @BeforeEach
  void open() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Databases.h2());
    pool = new HikariDataSource(config);
    JdbcOptions options = Databases.newTables();
    connections =
        Connections.of(source.of(pool), SqlDatabase.H2.dialect(), "H2", Databases.PATIENCE);
    new Schema(connections, SqlDatabase.H2.dialect(), options.tables(), true).check();
    table = new LeaseTable(SqlDatabase.H2.dialect(), options.tables().leases());
    rows = new LeaseRecords(connections, table, signals, options.retention());
    signals.subscribe("waiting", heard::add);
    rows.acquire(Commands.acquire("name", new ClaimId("holding", 1)));
  }

  @AfterEach
  void close() {
    connections.close();
    pool.close();
  }

  @Test
  void aNotificationThatComesBeforeTheAnswerLeavesNothingBehind() {
    source.prepared =
        (connection, sql) -> {
          if (sql.startsWith("UPDATE") && heard.isEmpty()) {
            // Another process has freed the name, and its notification is here already.
            signals.deliver("waiting", new Signal.Granted("name", new Grant(claim, 1, 1, 2, 1)));
          }
        };
    assertThat(rows.acquire(Commands.acquire("name", claim)))
        .isInstanceOf(AcquireReply.Queued.class);
    assertThat(heard).hasSize(1);
    assertThat(signals.isAnybodyWaiting()).isFalse();
  }

  @Test
  void whoeverIsAboutToWaitIsNotLookedForYet() {
    WaiterCheck check = new WaiterCheck(signals, connections, table);
    List<Set<ClaimId>> looks = new ArrayList<>();
    signals.use(
        new Signals.Wakeups() {
          @Override
          public void onWaiting() {
            looks.add(check.look());
          }
        });
    assertThat(rows.acquire(Commands.acquire("name", claim)))
        .isInstanceOf(AcquireReply.Queued.class);
    assertThat(looks).containsExactly(Set.of());
    assertThat(heard).isEmpty();
    assertThat(signals.waiting()).containsOnlyKeys("name");
  }

  @Test
  void aWriteThatFailsLeavesNobodyWaiting() {
    source.prepared =
        (connection, sql) -> {
          if (sql.startsWith("UPDATE")) {
            throw new IllegalStateException("the write fails");
          }
        };
    Command.Acquire command = Commands.acquire("name", claim);
    assertThat(JdbcStore.stage(() -> rows.acquire(command)).toCompletableFuture())
        .isCompletedExceptionally();
    assertThat(signals.isAnybodyWaiting()).isFalse();
  }
}
