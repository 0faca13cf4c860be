package dev.pawl.bench.crowd;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * PostgreSQL's advisory locks, one for each permit: the process has a connection for each of them,
 * for which its callers stand in line. Nothing is written, so nothing waits for the disk; it has no
 * lease, no token, and no order among processes.
 */
final class AdvisoryLibrary implements Library {

  private final String url;
  private final Map<String, BlockingQueue<Permit>> permits = new ConcurrentHashMap<>();

  AdvisoryLibrary(String url) {
    this.url = url;
  }

  @Override
  public Hold permit(int node, String name, int capacity) throws Exception {
    BlockingQueue<Permit> idle = permits.computeIfAbsent(name, n -> connect(n, capacity));
    Permit permit = idle.take();
    permit.call("SELECT pg_advisory_lock(?, ?)");
    return new Hold() {
      @Override
      public boolean isHeld() {
        return true;
      }

      @Override
      public void release() throws SQLException {
        permit.call("SELECT pg_advisory_unlock(?, ?)");
        idle.add(permit);
      }
    };
  }

  private BlockingQueue<Permit> connect(String name, int capacity) {
    BlockingQueue<Permit> idle = new ArrayBlockingQueue<>(capacity, true);
    try {
      for (int i = 0; i < capacity; i++) {
        idle.add(new Permit(DriverManager.getConnection(url), name.hashCode(), i));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return idle;
  }

  @Override
  public Hold read(int node, String name) {
    throw new UnsupportedOperationException("not measured");
  }

  @Override
  public Hold lock(int node, String name) throws Exception {
    return permit(node, name, 1);
  }

  @Override
  public void close() {}

  /** A lock of the server, and the session that takes it. */
  private record Permit(Connection connection, int name, int number) {

    void call(String sql) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setInt(1, name);
        statement.setInt(2, number);
        statement.execute();
      }
    }
  }
}
