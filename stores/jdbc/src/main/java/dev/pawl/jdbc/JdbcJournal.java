package dev.pawl.jdbc;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The journal in a table of its own; the newest entries are kept. */
final class JdbcJournal implements Journal {

  /** Of how many entries one is followed by a clean-up, whatever their names are. */
  private static final int TRIM_ONE_IN = 20;

  /** Of how many names it is remembered that they were cleaned up in this process. */
  private static final int MOST_NAMES = 1_000;

  private final Connections connections;
  private final String table;
  private final String now;
  private final SqlDatabase database;
  private final Set<String> trimmed = ConcurrentHashMap.newKeySet();

  JdbcJournal(Connections connections, SqlDatabase database, JdbcOptions options) {
    this.connections = connections;
    this.table = options.table("journal");
    this.now = database.now();
    this.database = database;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    return JdbcStore.stage(
        () -> {
          String sql =
              "INSERT INTO %s (at_us, kind, name, token, node, details) VALUES (%s, ?, ?, ?, ?, ?)"
                  .formatted(table, now);
          connections.write(
              "journal",
              c -> {
                try (PreparedStatement statement = c.prepareStatement(sql)) {
                  statement.setString(1, kind.name());
                  statement.setBytes(2, Row.bytes(name));
                  statement.setLong(3, token);
                  statement.setBytes(4, Row.bytes(node));
                  statement.setBytes(5, write(details));
                  return statement.executeUpdate();
                }
              });
          if (isDue(name)) {
            trim(name);
          }
          return null;
        });
  }

  /** At the first entry of a name, since a process may write but one; and then now and then. */
  private boolean isDue(String name) {
    if (trimmed.size() >= MOST_NAMES) {
      trimmed.clear();
    }
    return trimmed.add(name) || ThreadLocalRandom.current().nextInt(TRIM_ONE_IN) == 0;
  }

  /** Deletes what is too much of this name, and of all together. */
  private void trim(String name) {
    connections.write(
        "journal",
        c -> {
          int ofName = trim(c, "name = ? AND", OF_EACH_NAME, Row.bytes(name));
          return ofName + trim(c, "", IN_ALL, null);
        });
  }

  private int trim(Connection c, String which, int keep, byte @Nullable [] name)
      throws SQLException {
    String find =
        "SELECT id FROM %s WHERE %s 1 = 1 ORDER BY id DESC%s"
            .formatted(table, which, database.oneAfter(keep));
    String delete = "DELETE FROM %s WHERE %s id <= ?".formatted(table, which);
    try (PreparedStatement finding = c.prepareStatement(find);
        PreparedStatement deleting = c.prepareStatement(delete)) {
      int i = 1;
      if (name != null) {
        finding.setBytes(1, name);
        deleting.setBytes(i++, name);
      }
      try (ResultSet tooOld = finding.executeQuery()) {
        if (!tooOld.next()) {
          return 0;
        }
        deleting.setLong(i, tooOld.getLong(1));
      }
      return deleting.executeUpdate();
    }
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return JdbcStore.stage(() -> entries(name, limit));
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return JdbcStore.stage(() -> entries(null, limit));
  }

  private List<JournalEntry> entries(@Nullable String name, int limit) {
    String sql =
        "SELECT at_us, kind, name, token, node, details FROM %s %s ORDER BY id DESC%s"
            .formatted(table, name == null ? "" : "WHERE name = ?", database.first("?"));
    return connections.read(
        "journal",
        c -> {
          try (PreparedStatement statement = c.prepareStatement(sql)) {
            int i = 1;
            if (name != null) {
              statement.setBytes(i++, Row.bytes(name));
            }
            statement.setInt(i, limit);
            List<JournalEntry> entries = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
              while (result.next()) {
                entries.add(entry(result));
              }
            }
            return entries;
          }
        });
  }

  private static JournalEntry entry(ResultSet result) throws SQLException {
    return new JournalEntry(
        Instant.EPOCH.plus(result.getLong(1), ChronoUnit.MICROS),
        JournalEntry.Kind.valueOf(result.getString(2)),
        Row.text(result.getBytes(3)),
        result.getLong(4),
        Row.text(result.getBytes(5)),
        read(result.getBytes(6)));
  }

  /** Writes texts as their lengths and bytes, keys and values in turn. */
  private static byte[] write(Map<String, String> details) {
    List<byte[]> texts = new ArrayList<>();
    details.forEach(
        (key, value) -> {
          texts.add(Row.bytes(key));
          texts.add(Row.bytes(value));
        });
    ByteBuffer buffer = ByteBuffer.allocate(texts.stream().mapToInt(text -> 4 + text.length).sum());
    texts.forEach(text -> buffer.putInt(text.length).put(text));
    return buffer.array();
  }

  private static Map<String, String> read(byte @Nullable [] bytes) {
    Map<String, String> details = new HashMap<>();
    ByteBuffer buffer = ByteBuffer.wrap(bytes == null ? new byte[0] : bytes);
    while (buffer.hasRemaining()) {
      details.put(text(buffer), text(buffer));
    }
    return details;
  }

  private static String text(ByteBuffer buffer) {
    byte[] text = new byte[buffer.getInt()];
    buffer.get(text);
    return Row.text(text);
  }
}
