package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testkit.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** H2 as a server of its own, behind a network that fails. */
class H2ServerTest {

  @TempDir Path directory;
  private Server server;
  private FaultProxy proxy;

  @BeforeEach
  void start() throws Exception {
    server =
        Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", directory.toString())
            .start();
    proxy = FaultProxy.to("localhost", server.getPort());
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.stop();
  }

  private String url() {
    return "jdbc:h2:tcp://localhost:" + proxy.port() + "/./locks";
  }

  @Test
  void oneThatHangsIsNotWaitedForWithoutEnd() throws Exception {
    try (Pawl pawl = Pawl.connect(url())) {
      pawl.lock("x").acquire().close();
      proxy.stall();
      CompletableFuture<Void> asked =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
                      .isInstanceOfAny(
                          StoreUnavailableException.class, OutcomeUnknownException.class));
      asked.get(1, TimeUnit.MINUTES);
      proxy.heal();
      pawl.lock("y").acquire(Duration.ofMinutes(1)).close();
    }
  }

  @Test
  void oneThatWasAwayIsFoundAgainByWhoeverNeverPauses() throws Exception {
    JdbcOptions options = JdbcOptions.DEFAULT.withPoolSize(1);
    try (JdbcStore store = JdbcStore.open(url(), options)) {
      assertThat(store.nowMicros().toCompletableFuture().join()).isPositive();
      proxy.cut();
      assertThatThrownBy(() -> store.nowMicros().toCompletableFuture().join())
          .hasCauseInstanceOf(PawlException.class);
      proxy.heal();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (store.nowMicros().toCompletableFuture().isCompletedExceptionally()) {
        assertThat(System.nanoTime()).as("it is not found").isLessThan(end);
      }
    }
  }
}
