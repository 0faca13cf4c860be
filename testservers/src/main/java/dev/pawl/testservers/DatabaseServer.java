package dev.pawl.testservers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A database server on a free port, with its data in a directory that goes when it is closed. */
public abstract class DatabaseServer implements AutoCloseable {

  final Path directory;
  int port;
  private final List<String> settings;
  private ServerProcess process;

  /** Makes the data by the program {@code install}, and starts the server. */
  DatabaseServer(Path directory, List<String> install, List<String> settings) {
    this.directory = directory;
    this.settings = settings;
    ServerProcess.run(ServerProcess.unprivileged(install), environment(), log());
    this.process =
        ServerStart.onFreePort(
            free -> {
              port = free;
              return run();
            });
  }

  /** Returns the program that is the server, with its arguments. */
  abstract List<String> command(List<String> givenSettings);

  /** Returns what the programs find in their environment. */
  Map<String, String> environment() {
    return Map.of();
  }

  /** Tells whether the server with that process id, and none before it, answers on the port. */
  abstract boolean isReady(long pid);

  /** Returns the signal that ends the server in good order, though somebody is connected. */
  abstract String stopSignal();

  private ServerProcess run() {
    ServerProcess started =
        ServerProcess.start(ServerProcess.unprivileged(command(settings)), environment(), log());
    started.awaitPort(port);
    started.awaitUntil(() -> isReady(started.pid()));
    return started;
  }

  final Path data() {
    return data(directory);
  }

  static Path data(Path directory) {
    return directory.resolve("data");
  }

  private Path log() {
    return directory.resolve("log");
  }

  /** Returns its port. */
  public final int port() {
    return port;
  }

  /** Returns the JDBC URL for its own driver, with the user in it. */
  public abstract String url();

  /** Returns the process, to be paused and resumed. */
  public final ServerProcess process() {
    return process;
  }

  /** Ends it in good order, connections cut; the data stays. */
  public final void stop() {
    process.stop(stopSignal());
  }

  /** Kills it with its children; the data is what was written. */
  public final void kill() {
    List<ProcessHandle> children = process.descendants();
    process.kill();
    children.forEach(ProcessHandle::destroyForcibly);
    children.forEach(child -> child.onExit().orTimeout(1, TimeUnit.MINUTES).join());
  }

  /** Starts it again on the same port and data. */
  public final void restart() {
    if (process.isAlive()) {
      stop();
    }
    process = ServerStart.onItsPort(this::run);
  }

  @Override
  public final void close() {
    if (process.isAlive()) {
      process.resume();
      kill();
    }
    Archives.delete(directory);
  }
}
