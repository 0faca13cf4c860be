package dev.pawl.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The process that ends a command whose lease runs out; see {@code leash.sh}. Closing it without
 * {@link #end} ends the command.
 */
final class Leash implements AutoCloseable {

  /** TERM comes when that part is left of what the lease had when it was last renewed. */
  private static final int TERM_PART = 5;

  /** KILL comes when that part is left. */
  private static final int KILL_PART = 10;

  /** Below this a process cannot be relied on to be killed in time. */
  private static final long LEAST_MARGIN_NANOS = 100_000_000;

  /** The same deadline, read twice, differs by what lies between two readings. */
  private static final int NOISE_PART = 100;

  /** How long the shell gets to end itself before it is killed: somebody may have stopped it. */
  private static final long END_SECONDS = 10;

  private static final long START_POLL_NANOS = 1_000_000;

  private static final String READY = "ready";
  private static final String GROUP = "group ";

  private final Duration lease;
  private final String mark =
      ProcessHandle.current().pid() + "." + Long.toHexString(System.nanoTime());
  private final BootClock clock = new BootClock();
  private final Process shell;
  private final Writer words;
  private final ReentrantLock lock = new ReentrantLock();
  private final Thread reader;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Long> group = new CompletableFuture<>();
  private @Nullable Deadline last;

  /** When the lease ends by our clock, and when TERM and KILL come by that of the leash. */
  private record Deadline(long nanos, long termTicks, long killTicks) {}

  /**
   * Starts the leash.
   *
   * @param lease the length of a lease
   * @param sent is told each signal that the leash sends of its own, on another thread
   */
  Leash(Duration lease, Consumer<String> sent) {
    this.lease = lease;
    try {
      List<String> line = new ArrayList<>(List.of("setsid"));
      line.addAll(line(mark));
      ProcessBuilder builder =
          new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
      builder.environment().put("LC_ALL", "C");
      shell = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the leash of the command", e);
    }
    words = shell.outputWriter(StandardCharsets.US_ASCII);
    BufferedReader answers = shell.inputReader(StandardCharsets.US_ASCII);
    reader = new Thread(() -> answers.lines().forEach(line -> hear(line, sent)), "pawl-leash");
    reader.setDaemon(true);
    reader.start();
  }

  private void hear(String line, Consumer<String> sent) {
    if (line.equals(READY)) {
      ready.complete(null);
    } else if (line.startsWith(GROUP)) {
      group.complete(Long.valueOf(line.substring(GROUP.length())));
    } else {
      sent.accept(line);
    }
  }

  /**
   * Waits until no signal that is sent to our group ends it any more, as Ctrl-C is. Until then it
   * is one of the group itself; false if it has ended, or the wait is given up.
   */
  boolean awaitReady(BooleanSupplier givenUp) {
    while (!ready.isDone() && isAlive() && !givenUp.getAsBoolean()) {
      LockSupport.parkNanos(START_POLL_NANOS);
    }
    return ready.isDone() && isAlive();
  }

  /**
   * Returns what is to be in the environment of the command: by that it is found, and ended, as
   * long as it is not tied. No other run of this host has the same.
   */
  Map<String, String> variables() {
    return Map.of("PAWL_LEASH", mark);
  }

  /** Returns the number of its process, to which the command may tell its group. */
  long pid() {
    return shell.pid();
  }

  /**
   * Waits until it knows the group of the command.
   *
   * @param starter who starts the command; if that or the leash ends before, it stands for it
   */
  ProcessGroup awaitGroup(Process starter) {
    var unused =
        CompletableFuture.anyOf(starter.onExit(), shell.onExit())
            .thenRun(() -> group.complete(starter.pid()));
    return new ProcessGroup(group.join());
  }

  /** Names the process group to end; it may be about to be made by the process of that number. */
  void tie(long id) {
    say(GROUP + id);
  }

  /**
   * Has the command live for as long as the lease lasts now.
   *
   * @param remaining how long that is, zero if it is lost
   * @return whether it is not lost
   */
  boolean follow(Supplier<Duration> remaining) {
    clock.look();
    // Before the lease is asked: whoever is stopped in between must not count that time twice.
    long now = System.nanoTime();
    long left = remaining.get().toNanos();
    if (left <= 0) {
      return false;
    }
    Deadline known = last;
    if (known != null && now + left - known.nanos() < left / NOISE_PART) {
      if (clock.ticks() >= known.termTicks()) {
        say("look");
      }
      return true;
    }
    long deadline = now + left;
    // No renewal that was sent earlier lasts until then.
    long sentAt = deadline - lease.toNanos();
    long killMargin = Math.max(left / KILL_PART, LEAST_MARGIN_NANOS);
    long kill = clock.ticksAt(deadline - killMargin, sentAt);
    long term = Math.min(kill, clock.ticksAt(deadline - left / TERM_PART, sentAt));
    last = new Deadline(deadline, term, kill);
    say("until " + term + " " + kill);
    return true;
  }

  /** Has the command end now, with a moment between TERM and KILL as far as there is one. */
  void cut(Duration grace) {
    long now = clock.ticks();
    long kill = now + grace.toNanos() / BootClock.NANOS_PER_TICK;
    say("until " + now + " " + (last == null ? kill : Math.min(kill, last.killTicks())));
  }

  /** Passes a signal on to the command. */
  void signal(String name) {
    say("signal " + name);
  }

  /**
   * Tells that there is nothing to end any more. Every signal that the leash sent is known when
   * this returns, however long it takes to tell of it.
   */
  void end() {
    say("end");
    try {
      if (!shell.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        shell.destroyForcibly();
      }
      reader.join();
    } catch (InterruptedException e) {
      // A job's run that is lost at its very end: whoever started it looks at its lease.
      Thread.currentThread().interrupt();
    }
  }

  /** Says a word; by several threads, and to nobody if the leash was killed. */
  private void say(String line) {
    lock.lock();
    try {
      words.write(line + "\n");
      words.flush();
    } catch (IOException e) {
      // isAlive() tells.
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether it can still end the command. */
  boolean isAlive() {
    return shell.isAlive();
  }

  @Override
  public void close() {
    try {
      words.close();
    } catch (IOException e) {
      // It is gone already, and with it whatever it could be told.
    }
  }

  /** Returns what is to be executed; privileged, without functions of the environment. */
  static List<String> line(String mark) throws IOException {
    return List.of("bash", "--posix", "-p", "-c", script(), "pawl-leash", mark);
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
