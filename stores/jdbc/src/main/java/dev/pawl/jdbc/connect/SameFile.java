package dev.pawl.jdbc.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The file that a connection has open, of a database that is one file. If it is deleted or
 * replaced, the connection goes on in a file that nobody else finds, and two would hold one lock
 * (I1).
 */
final class SameFile {

  /** How long a look at the path counts: much less than a lease, and rarely enough to be free. */
  private static final long FRESH_NANOS = 50_000_000;

  private final Path path;
  private final @Nullable Object key;
  private long lookedNanos = System.nanoTime();

  private SameFile(Path path, @Nullable Object key) {
    this.path = path;
    this.key = key;
  }

  /** Returns the file of a new connection. */
  static SameFile of(Path path) {
    return new SameFile(path, key(path));
  }

  /** Fails, as for a connection that is lost, if another file or none is at the path. */
  void check() throws SQLException {
    long now = System.nanoTime();
    if (key == null || now - lookedNanos < FRESH_NANOS) {
      return;
    }
    lookedNanos = now;
    if (!key.equals(key(path))) {
      throw new SQLException(
          path + " was deleted or replaced while it was open: this is no longer the same file",
          "08006");
    }
  }

  /**
   * Returns what tells the file from every other; nothing where there is none, or no such thing.
   */
  private static @Nullable Object key(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return null;
    }
  }
}
