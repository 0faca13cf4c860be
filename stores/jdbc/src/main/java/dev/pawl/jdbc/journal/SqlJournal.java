package dev.pawl.jdbc.journal;

import dev.pawl.JournalEntry;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.spi.Journal;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The journal in a table of its own; the newest entries are kept. */
public final class SqlJournal implements Journal {

  private static final Logger LOG = LoggerFactory.getLogger(SqlJournal.class);

  /** Of how many entries of a name one is followed by a clean-up. */
  private static final int TRIM_ONE_IN = 20;

  /** Of how many names it is remembered how many entries this process has written. */
  private static final int MOST_NAMES = 1_000;

  private final Connections connections;
  private final String table;
  private final Dialect dialect;
  private final Map<String, Integer> written = new ConcurrentHashMap<>();

  /** Returns the journal in that table. */
  public SqlJournal(Connections connections, Dialect dialect, String table) {
    this.connections = connections;
    this.table = table;
    this.dialect = dialect;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    return stage(
        () -> {
          String sql =
              "INSERT INTO %s (at_us, kind, name, token, node, details) VALUES (%s, ?, ?, ?, ?, ?)"
                  .formatted(table, dialect.now());
          connections.write(
              "journal",
              c ->
                  Sql.update(
                      c,
                      sql,
                      kind.name(),
                      Utf8.bytes(name),
                      token,
                      Utf8.bytes(node),
                      write(details)));
          if (isDue(name)) {
            trimIfPossible(name);
          }
          return null;
        });
  }

  /** At the first entry of a name, since a process may write but one; and then now and then. */
  private boolean isDue(String name) {
    if (written.size() >= MOST_NAMES) {
      written.clear();
    }
    return written.merge(name, 1, Integer::sum) % TRIM_ONE_IN == 1;
  }

  /** The entry is written, and the next that is due trims what this one could not. */
  private void trimIfPossible(String name) {
    try {
      trim(name);
    } catch (RuntimeException e) {
      LOG.debug("the journal of {} could not be trimmed", connections.describe(), e);
    }
  }

  /** Deletes what is too much of this name, and of all together. */
  private void trim(String name) {
    connections.write(
        "journal",
        c -> {
          int ofName = trim(c, "name = ? AND", OF_EACH_NAME, Utf8.bytes(name));
          return ofName + trim(c, "", IN_ALL);
        });
  }

  private int trim(Connection c, String which, int keep, Object... name) throws SQLException {
    String find =
        "SELECT id FROM %s WHERE %s 1 = 1 ORDER BY id DESC%s"
            .formatted(table, which, dialect.oneAfter(keep));
    Optional<Long> tooOld = Sql.one(c, find, result -> result.getLong(1), name);
    if (tooOld.isEmpty()) {
      return 0;
    }
    String delete = "DELETE FROM %s WHERE %s id <= ?".formatted(table, which);
    return Sql.update(c, delete, Stream.concat(Arrays.stream(name), tooOld.stream()).toArray());
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return stage(() -> entries("WHERE name = ?", Utf8.bytes(name), limit));
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return stage(() -> entries("", limit));
  }

  private List<JournalEntry> entries(String which, Object... parameters) {
    String sql =
        "SELECT at_us, kind, name, token, node, details FROM %s %s ORDER BY id DESC%s"
            .formatted(table, which, dialect.first("?"));
    List<Optional<JournalEntry>> found =
        connections.read("journal", c -> Sql.all(c, sql, SqlJournal::entry, parameters));
    return found.stream().flatMap(Optional::stream).toList();
  }

  private static <T> CompletionStage<T> stage(Supplier<T> work) {
    try {
      return CompletableFuture.completedFuture(work.get());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Optional<JournalEntry> entry(ResultSet result) throws SQLException {
    Optional<JournalEntry.Kind> kind = Journal.kind(result.getString(2));
    if (kind.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new JournalEntry(
            Instant.EPOCH.plus(result.getLong(1), ChronoUnit.MICROS),
            kind.get(),
            Utf8.text(result.getBytes(3)),
            result.getLong(4),
            Utf8.text(result.getBytes(5)),
            read(result.getBytes(6))));
  }

  /** Writes texts as their lengths and bytes, keys and values in turn. */
  private static byte[] write(Map<String, String> details) {
    List<byte[]> texts = new ArrayList<>();
    details.forEach(
        (key, value) -> {
          texts.add(Utf8.bytes(key));
          texts.add(Utf8.bytes(value));
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
    return Utf8.text(text);
  }
}
