package dev.pawl.cli.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The directory of one demo, which is deleted with all that is in it. */
final class Workspace implements AutoCloseable {

  private final Path directory;

  private Workspace(Path directory) {
    this.directory = directory;
  }

  static Workspace make() {
    try {
      return new Workspace(Files.createTempDirectory(parent(), "pawl-demo-"));
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot make a directory in " + parent() + " (TMPDIR names another one)", e);
    }
  }

  private static Path parent() {
    String chosen = System.getenv().getOrDefault("TMPDIR", "");
    return Path.of(chosen.isEmpty() ? System.getProperty("java.io.tmpdir") : chosen);
  }

  Path directory() {
    return directory;
  }

  /** Returns the file of what is sent. */
  Path outbox() {
    return directory.resolve("outbox.db");
  }

  /** Returns the URL of a store in here. */
  String store() {
    return "sqlite:" + directory.resolve("locks.db");
  }

  /** Returns the file of what the primary prints. */
  Path primaryLog() {
    return directory.resolve("primary.log");
  }

  /** Returns the file of a node's error output. */
  Path errors(int node) {
    return directory.resolve("node-" + node + ".log");
  }

  /** Returns the last line of a node's error output. */
  String lastError(int node) {
    try (Stream<String> lines = Files.lines(errors(node))) {
      return lines.reduce("", (before, line) -> line);
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  /** Deletes it; nobody may write into it any more. */
  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    }
  }
}
