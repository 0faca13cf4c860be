package dev.pawl.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.jdbc.dialect.H2Dialect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** An outage, as the thread of a pool sees it that makes connections. */
class ReconnectingTest {

  private final AtomicInteger attempts = new AtomicInteger();
  private final List<Connection> made = new ArrayList<>();

  @Test
  void anOutageIsTriedAgainUntilItIsOver() throws Exception {
    Reconnecting source =
        new Reconnecting(
            failing(12, new SQLException("Connection refused", "08001")), new H2Dialect());
    try (Connection connection = source.getConnection()) {
      assertThat(connection.isClosed()).isFalse();
    }
    assertThat(attempts.get()).isEqualTo(13);
    assertThat(source.failure()).isEmpty();
  }

  /** A pool would wait for up to five seconds. */
  @Test
  void aRefusalIsTriedAgainToo() throws Exception {
    SQLException refused = new SQLException("password authentication failed", "28P01");
    Reconnecting source = new Reconnecting(failing(3, refused), new H2Dialect());
    source.getConnection().close();
    assertThat(attempts.get()).isEqualTo(4);
    assertThat(source.failure()).isEmpty();
  }

  /**
   * A pool that is closed interrupts nobody, and would have it try for as long as the JVM lives.
   */
  @Test
  void whoeverTriesEndsWhenItIsClosed() {
    SQLException outage = new SQLException("Connection refused", "08001");
    Reconnecting source = new Reconnecting(failing(Integer.MAX_VALUE, outage), new H2Dialect());
    CompletableFuture<Connection> trying = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                trying.complete(source.getConnection());
              } catch (SQLException e) {
                trying.completeExceptionally(e);
              }
            });
    thread.start();
    while (attempts.get() < 3) {
      Thread.onSpinWait();
    }
    source.close();
    assertThat(trying).failsWithin(1, TimeUnit.MINUTES).withThrowableThat().withCause(outage);
  }

  @Test
  void aConnectionThatIsMadeWhileItIsClosedIsClosedToo() {
    Reconnecting source = new Reconnecting(failing(0, new SQLException("none")), new H2Dialect());
    source.close();
    assertThatThrownBy(source::getConnection).hasMessage("closed meanwhile");
    assertThat(made).hasSize(1).allSatisfy(each -> assertThat(each.isClosed()).isTrue());
  }

  @Test
  void anInterruptEndsIt() {
    SQLException outage = new SQLException("Connection refused", "08001");
    Reconnecting source = new Reconnecting(failing(Integer.MAX_VALUE, outage), new H2Dialect());
    Thread.currentThread().interrupt();
    assertThatThrownBy(source::getConnection).isSameAs(outage);
    assertThat(source.failure()).contains(outage);
    assertThat(Thread.interrupted()).isTrue();
  }

  private DataSource failing(int times, SQLException failure) {
    String url = "jdbc:h2:mem:reconnecting;DB_CLOSE_DELAY=-1";
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              if (attempts.getAndIncrement() < times) {
                throw failure;
              }
              Connection connection = DriverManager.getConnection(url);
              made.add(connection);
              return connection;
            });
  }
}
