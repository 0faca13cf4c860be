package dev.pawl.cli.demo;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The primary of the demo, which is killed: a Redis without persistence, or an H2 server where no
 * Redis is installed. What it knows dies with it.
 */
final class PrimaryServer implements AutoCloseable {

  private static final Duration START_PATIENCE = Duration.ofSeconds(20);
  private static final int SECONDS_TO_END = 5;

  private final Optional<String> redis;
  private final Workspace workspace;
  private final int port;
  private Process process;

  private PrimaryServer(Optional<String> redis, Workspace workspace) {
    this.redis = redis;
    this.workspace = workspace;
    this.port = freePort();
    this.process = launch();
  }

  /** Starts one on a free port of this host. */
  static PrimaryServer start(Workspace workspace) {
    return new PrimaryServer(installedRedis(), workspace);
  }

  private static Optional<String> installedRedis() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .flatMap(
            directory ->
                List.of("redis-server", "valkey-server").stream()
                    .map(program -> Path.of(directory, program)))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what it is, for people. */
  String name() {
    return redis.isPresent() ? "Redis" : "an H2 server";
  }

  /** Returns the URL of the store in it. */
  String url() {
    return redis.isPresent()
        ? "redis://127.0.0.1:" + port
        : "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:locks;DB_CLOSE_DELAY=-1;USER=sa";
  }

  long pid() {
    return process.pid();
  }

  /** Kills it with SIGKILL. */
  void kill() {
    process.destroyForcibly();
    try {
      process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Starts it again, without its data, on the same port. */
  void restart() {
    process = launch();
  }

  private Process launch() {
    try {
      Process started =
          new ProcessBuilder(NodeProcess.undisturbed(command()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(workspace.primaryLog().toFile()))
              .start();
      awaitPort(started);
      return started;
    } catch (IOException e) {
      throw new Refusal(ExitCode.SOFTWARE, "cannot start the primary: " + e.getMessage());
    }
  }

  private List<String> command() {
    return redis
        .map(
            program ->
                List.of(
                    program,
                    "--port",
                    "" + port,
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--appendonly",
                    "no",
                    "--dir",
                    workspace.directory().toString()))
        .orElseGet(
            () ->
                NodeProcess.java(
                    workspace.directory(),
                    "org.h2.tools.Server",
                    "-tcp",
                    "-tcpPort",
                    "" + port,
                    "-ifNotExists"));
  }

  private void awaitPort(Process started) {
    long start = System.nanoTime();
    while (!isOpen()) {
      if (!started.isAlive() || System.nanoTime() - start > START_PATIENCE.toNanos()) {
        started.destroyForcibly();
        throw new Refusal(
            ExitCode.UNAVAILABLE, "the primary does not listen on port " + port + " of this host");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private boolean isOpen() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    kill();
  }
}
