package dev.pawl.cli.shell;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An output in UTF-8 that remembers why it could not be written. */
final class Output extends PrintWriter {

  private final Sink sink;

  private Output(Sink sink) {
    super(new OutputStreamWriter(sink, StandardCharsets.UTF_8));
    this.sink = sink;
  }

  static Output of(FileDescriptor file) {
    return new Output(new Sink(new FileOutputStream(file)));
  }

  /**
   * Writes out what is left.
   *
   * @throws Screen.ClosedPipe if nobody reads any more
   * @throws Refusal if it cannot be written for another reason
   */
  static void check(PrintWriter writer) {
    if (!writer.checkError()) {
      return;
    }
    IOException failure = writer instanceof Output output ? output.sink.failure : null;
    String reason = failure == null ? "" : String.valueOf(failure.getMessage());
    if (reason.isEmpty() || reason.contains("Broken pipe")) {
      throw new Screen.ClosedPipe();
    }
    throw new Refusal(ExitCode.OUTPUT, "cannot write the output: " + reason);
  }

  private static final class Sink extends OutputStream {

    private final OutputStream target;
    private @Nullable IOException failure;

    Sink(OutputStream target) {
      this.target = target;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        target.write(bytes, from, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }
}
