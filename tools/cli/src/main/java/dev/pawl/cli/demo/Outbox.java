package dev.pawl.cli.demo;

import dev.pawl.StaleTokenException;
import dev.pawl.jdbc.JdbcFence;
import dev.pawl.jdbc.SqlDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The customers' phones: every message that was really sent, and every one that was refused for its
 * token. There is no unique key: what is sent twice arrives twice.
 *
 * <p>For one thread at a time.
 */
final class Outbox implements AutoCloseable {

  private static final String RESOURCE = "reminders";

  private static final JdbcFence FENCE = JdbcFence.of(SqlDatabase.SQLITE, "message_fence");

  private final Connection connection;

  private Outbox(Connection connection) {
    this.connection = connection;
  }

  /** Opens the file, which is made if it is not there. */
  static Outbox open(Path file) throws SQLException {
    // It lives for a minute: it need not survive a power cut.
    Connection connection =
        DriverManager.getConnection(
            "jdbc:sqlite:" + file + "?busy_timeout=10000&journal_mode=WAL&synchronous=OFF");
    Outbox outbox = new Outbox(connection);
    String columns =
        " (act TEXT NOT NULL, tick INTEGER NOT NULL, customer TEXT NOT NULL,"
            + " node INTEGER NOT NULL)";
    outbox.execute("CREATE TABLE IF NOT EXISTS message" + columns);
    outbox.execute("CREATE TABLE IF NOT EXISTS refused" + columns);
    outbox.execute(FENCE.sql());
    return outbox;
  }

  /** Sends a message. */
  void send(Message message) throws SQLException {
    insert("message", message);
  }

  /**
   * Sends a message if no later holder than that token's has sent one.
   *
   * @throws StaleTokenException if one has
   */
  void send(Message message, long token) throws SQLException {
    connection.setAutoCommit(false);
    try {
      FENCE.admit(connection, RESOURCE, token);
      insert("message", message);
      connection.commit();
    } catch (StaleTokenException e) {
      insert("refused", message);
      connection.commit();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  /**
   * Returns the customers who have got no message for the tick. The token is shown first: from then
   * on no earlier holder sends one, not even a message that is on its way.
   *
   * @throws StaleTokenException if a later holder was here
   */
  List<String> unsent(long tick, long token) throws SQLException {
    connection.setAutoCommit(false);
    try {
      FENCE.admit(connection, RESOURCE, token);
      List<String> unsent = unsent(tick);
      connection.commit();
      return unsent;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private List<String> unsent(long tick) throws SQLException {
    List<String> unsent = new ArrayList<>(Act.CUSTOMERS);
    sent().stream()
        .filter(message -> message.tick() == tick)
        .forEach(message -> unsent.remove(message.customer()));
    return unsent;
  }

  /** Returns what was sent, in order. */
  List<Message> sent() throws SQLException {
    return messages("message");
  }

  /** Returns what was refused, in order. */
  List<Message> refused() throws SQLException {
    return messages("refused");
  }

  /** Tells whether nobody is in the middle of a write. */
  boolean isIdle() throws SQLException {
    execute("PRAGMA busy_timeout = 100");
    try {
      execute("BEGIN IMMEDIATE");
      execute("ROLLBACK");
      return true;
    } catch (SQLException e) {
      return false;
    } finally {
      execute("PRAGMA busy_timeout = 10000");
    }
  }

  private void insert(String table, Message message) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO " + table + " (act, tick, customer, node) VALUES (?, ?, ?, ?)")) {
      statement.setString(1, message.act().name());
      statement.setLong(2, message.tick());
      statement.setString(3, message.customer());
      statement.setInt(4, message.node());
      statement.executeUpdate();
    }
  }

  private List<Message> messages(String table) throws SQLException {
    List<Message> messages = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT act, tick, customer, node FROM " + table + " ORDER BY rowid")) {
      while (result.next()) {
        messages.add(
            new Message(
                Act.valueOf(result.getString(1)),
                result.getLong(2),
                result.getString(3),
                result.getInt(4)));
      }
    }
    return messages;
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
