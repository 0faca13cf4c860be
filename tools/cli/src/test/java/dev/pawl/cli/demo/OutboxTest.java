package dev.pawl.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StaleTokenException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutboxTest {

  private static final Message TO_ANN = new Message(Act.STALLED, 7, "Ann", 1);

  @TempDir Path directory;
  private Outbox outbox;

  @BeforeEach
  void open() throws SQLException {
    outbox = Outbox.open(directory.resolve("outbox.db"));
  }

  @AfterEach
  void close() throws SQLException {
    outbox.close();
  }

  @Test
  void whatIsSentTwiceArrivesTwice() throws SQLException {
    outbox.send(TO_ANN);
    outbox.send(TO_ANN);
    outbox.send(TO_ANN, 5);
    assertThat(outbox.sent()).containsExactly(TO_ANN, TO_ANN, TO_ANN);
  }

  @Test
  void aStaleTokensMessageIsRefusedAndNotSent() throws SQLException {
    Message toBen = new Message(Act.STALLED, 7, "Ben", 2);
    outbox.send(toBen, 6);
    assertThatThrownBy(() -> outbox.send(TO_ANN, 5)).isInstanceOf(StaleTokenException.class);
    outbox.send(toBen, 6);
    assertThat(outbox.sent()).containsExactly(toBen, toBen);
    assertThat(outbox.refused()).containsExactly(TO_ANN);
  }

  @Test
  void aRunThatIsTakenOverGoesOnWithThoseWhoGotNothing() throws SQLException {
    outbox.send(TO_ANN);
    assertThat(outbox.unsent(7, 5)).containsExactly("Ben", "Cleo", "Dan", "Eve", "Finn");
    assertThat(outbox.unsent(8, 5)).isEqualTo(Act.CUSTOMERS);
  }

  @Test
  void whoeverAsksWhoGotNothingHasTheWordFromThenOn() throws SQLException {
    assertThat(outbox.unsent(7, 6)).isEqualTo(Act.CUSTOMERS);
    assertThatThrownBy(() -> outbox.send(TO_ANN, 5)).isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> outbox.unsent(7, 5)).isInstanceOf(StaleTokenException.class);
    assertThat(outbox.sent()).isEmpty();
  }

  @Test
  void itIsNotIdleWhileSomebodyWrites() throws SQLException {
    try (Connection other =
            DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("outbox.db"));
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      assertThat(outbox.isIdle()).isFalse();
      statement.execute("COMMIT");
      assertThat(outbox.isIdle()).isTrue();
    }
  }
}
