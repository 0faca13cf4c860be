package dev.pawl.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Notifications, of a database that sends them with the commit of a statement. */
public interface Notify {

  /** A notification: its channel and its payload. */
  record Notification(String channel, String payload) {}

  /**
   * Returns what is appended to a statement that writes one row, so that it sends that many
   * notifications if it does: with channel and payload of each as further parameters.
   */
  String returning(int count);

  /** Begins to listen on a connection. */
  void listen(Connection connection, String channel) throws SQLException;

  /** Ends that. */
  void unlisten(Connection connection, String channel) throws SQLException;

  /** Waits that long for notifications; returns those that have arrived. */
  List<Notification> await(Connection connection, int millis) throws SQLException;
}
