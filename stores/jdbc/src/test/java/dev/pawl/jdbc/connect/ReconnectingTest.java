package dev.pawl.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.jdbc.dialect.H2Dialect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** An outage, as the thread of a pool sees it that makes connections. */
class ReconnectingTest {

  private final AtomicInteger attempts = new AtomicInteger();

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

  @Test
  void whoeverClosesThePoolEndsIt() {
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
              return DriverManager.getConnection(url);
            });
  }
}
