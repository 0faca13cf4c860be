package dev.pawl.cli.run;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where the report of a run goes; opened before the run, so that it does not fail afterwards. */
final class ReportFile implements AutoCloseable {

  private final @Nullable Path path;
  private final OutputStream stream;

  private ReportFile(@Nullable Path path, OutputStream stream) {
    this.path = path;
    this.stream = stream;
  }

  /** Opens the file, or nothing where none is named. */
  static ReportFile open(@Nullable Path path) {
    try {
      return new ReportFile(
          path,
          path == null ? OutputStream.nullOutputStream() : new FileOutputStream(path.toFile()));
    } catch (IOException e) {
      throw Refusal.usage("cannot write the report to " + e.getMessage());
    }
  }

  void write(String line) {
    try {
      stream.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      stream.flush();
    } catch (IOException e) {
      throw unwritten(e);
    }
  }

  /** The command has run by then: nothing was wrong with how it was called. */
  private Refusal unwritten(IOException failure) {
    return new Refusal(
        ExitCode.OUTPUT, "cannot write the report to " + path + ": " + failure.getMessage());
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw unwritten(e);
    }
  }
}
