package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One process of a server, and the signals that can be sent to it; it ends with this JVM. */
public final class ServerProcess {

  /** More than the slowest machine needs: what is waited for is the server, not its speed. */
  private static final long PATIENCE_SECONDS = 180;

  private static final long STOPS_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Process process;
  private final Path log;
  private final Thread atExit;

  private ServerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.atExit = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Starts a program; what it prints is added to the log. */
  public static ServerProcess start(
      List<String> command, Map<String, String> environment, Path log) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    try {
      return new ServerProcess(builder.start(), log);
    } catch (IOException e) {
      throw new ServerStart.FailedException("cannot run " + command, e);
    }
  }

  /** Runs a program to its end, which must be a good one. */
  public static void run(List<String> command, Map<String, String> environment, Path log) {
    ServerProcess run = start(command, environment, log);
    if (run.awaitEnd() != 0) {
      throw new IllegalStateException(command + " failed:\n" + run.output());
    }
  }

  /** Returns the command as another user who is not root, if this is root. */
  public static List<String> unprivileged(List<String> command) {
    if (!isRoot()) {
      return command;
    }
    List<String> wrapped =
        new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    wrapped.addAll(command);
    return wrapped;
  }

  /** Tells whether this JVM runs as root. */
  public static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /** Waits until somebody listens on the port. */
  public void awaitPort(int port) {
    awaitUntil(() -> accepts(port));
  }

  /** Waits until the server is as far as that. */
  public void awaitUntil(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      if (!process.isAlive()) {
        awaitEnd();
        throw new ServerStart.FailedException("the server ended:\n" + output(), null);
      }
      if (System.nanoTime() - deadline > 0) {
        kill();
        throw new IllegalStateException("the server is not ready:\n" + output());
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Tells whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Tells whether a server has written that process id, and no other, into its file. */
  static boolean isWrittenIn(Path pidFile, long pid) {
    try {
      return Files.readString(pidFile).strip().equals("" + pid);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the processes it started. */
  public List<ProcessHandle> descendants() {
    return process.descendants().toList();
  }

  /** Asks it to end, by a signal such as {@code INT}, and waits. */
  public void stop(String signal) {
    signal(signal);
    awaitEnd();
  }

  /** Kills it: no clean-up, no goodbye (SIGKILL). */
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Stops it in its tracks, connections open (SIGSTOP). */
  public void pause() {
    signal("STOP");
    Path threads = Path.of("/proc/" + process.pid() + "/task");
    long start = System.nanoTime();
    while (!areStopped(threads) && System.nanoTime() - start < STOPS_WITHIN_NANOS) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** A thread that runs may go on for a moment after the signal was sent. */
  private static boolean areStopped(Path threads) {
    try (Stream<Path> all = Files.list(threads)) {
      for (Path thread : all.toList()) {
        String stat = Files.readString(thread.resolve("stat"));
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException e) {
      return true; // It has ended, or this system has no such files.
    } catch (IOException e) {
      return false; // A thread that was listed has ended.
    }
  }

  /** Lets it go on (SIGCONT). */
  public void resume() {
    signal("CONT");
  }

  /** Sends a signal to it; one that stops or resumes goes to the processes it started as well. */
  public void signal(String name) {
    send(name, Set.of(process.pid()));
    if (name.equals("STOP") || name.equals("CONT")) {
      // Once it is stopped it starts no more, but the one it was about to start may yet appear.
      Set<Long> told = new HashSet<>();
      Set<Long> children = children();
      while (!told.containsAll(children)) {
        send(name, children);
        told.addAll(children);
        children = children();
      }
    }
  }

  private Set<Long> children() {
    return process.descendants().map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  private static void send(String name, Set<Long> processes) {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    processes.forEach(pid -> command.add("" + pid));
    try {
      ProcessBuilder kill = new ProcessBuilder(command).redirectErrorStream(true);
      kill.redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int awaitEnd() {
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("it does not end:\n" + output());
      }
      Runtime.getRuntime().removeShutdownHook(atExit);
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (IllegalStateException e) {
      if (process.isAlive()) {
        throw e;
      }
      return process.exitValue(); // The JVM is ending, and the hook runs.
    }
  }

  private String output() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
