package dev.pawl.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The process that ends a command whose lease runs out; see {@code leash.sh}. Closing it without
 * {@link #end} ends the command.
 */
final class Leash implements AutoCloseable {

  /** Below this a process cannot be relied on to be killed in time. */
  private static final Duration LEAST_MARGIN = Duration.ofMillis(100);

  /** How long the shell gets to end itself. */
  private static final long END_MILLIS = 1_000;

  private final Duration lease;
  private final Process shell;
  private final Writer words;
  private final Thread reader;
  private long toldDeadlineNanos;
  private boolean told;

  /**
   * Starts the leash.
   *
   * @param lease the length of a lease: TERM comes when a third is left of it, KILL when a tenth is
   * @param sent is told each signal that the leash sends of its own, on another thread
   */
  Leash(Duration lease, Consumer<String> sent) {
    this.lease = lease;
    try {
      shell =
          new ProcessBuilder("setsid", "sh", "-c", script(), "pawl-leash")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the leash of the command", e);
    }
    words = shell.outputWriter(StandardCharsets.US_ASCII);
    BufferedReader signals = shell.inputReader(StandardCharsets.US_ASCII);
    reader = new Thread(() -> signals.lines().forEach(sent), "pawl-leash");
    reader.setDaemon(true);
    reader.start();
  }

  /** Names the process group to end. */
  void tie(long group) {
    say("group " + group);
  }

  /** Tells how long the lease lasts from now; only a longer life than the last told is news. */
  void extend(Duration remaining) {
    long now = System.nanoTime();
    long deadline = now + remaining.toNanos();
    // The same deadline, read twice, differs by what lies between two readings.
    if (told && deadline - toldDeadlineNanos < lease.toNanos() / 100) {
      return;
    }
    told = true;
    toldDeadlineNanos = deadline;
    Duration margin = lease.dividedBy(10);
    Duration kill = remaining.minus(margin.compareTo(LEAST_MARGIN) < 0 ? LEAST_MARGIN : margin);
    countDown(remaining.minus(lease.dividedBy(3)), kill);
  }

  /** Has the command end now, with a moment between TERM and KILL. */
  void cut(Duration grace) {
    countDown(Duration.ZERO, grace);
  }

  private void countDown(Duration term, Duration kill) {
    double untilTerm = Math.max(0, term.toNanos() / 1e9);
    double untilKill = Math.max(untilTerm, kill.toNanos() / 1e9);
    say(String.format(Locale.ROOT, "lease %.3f %.3f", untilTerm, untilKill - untilTerm));
  }

  /** Passes a signal on to the command. */
  void signal(String name) {
    say("signal " + name);
  }

  /** Tells that the command has ended; afterwards every signal that the leash sent is known. */
  void end() {
    say("end");
    try {
      reader.join(END_MILLIS);
    } catch (InterruptedException e) {
      // A job's run that is lost at its very end: whoever started it looks at its lease.
      Thread.currentThread().interrupt();
    }
  }

  private void say(String line) {
    try {
      words.write(line + "\n");
      words.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the leash of the command is gone", e);
    }
  }

  @Override
  public void close() {
    try {
      words.close();
    } catch (IOException e) {
      // It is gone already, and with it whatever it could be told.
    }
  }

  private static String script() throws IOException {
    try (InputStream script = Leash.class.getResourceAsStream("leash.sh")) {
      if (script == null) {
        throw new IOException("leash.sh is missing in the jar");
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
