package dev.pawl.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A PostgreSQL server on a free port, user {@code postgres}, no password. */
public final class PostgresServer implements AutoCloseable {

  private final Path programs =
      Archives.ofTar("postgresql-18.6.0", "postgres-linux-x86_64.txz").resolve("bin");
  private final Path directory = Archives.directory("pawl-postgres");
  private final int port = ServerProcess.freePort();
  private final List<String> settings;
  private ServerProcess process;

  private PostgresServer(List<String> settings) {
    this.settings = settings;
    List<String> initdb =
        List.of(
            programs.resolve("initdb").toString(),
            "--pgdata=" + directory.resolve("data"),
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
            "--no-instructions");
    ServerProcess.run(ServerProcess.unprivileged(initdb), Map.of(), log());
    process = run();
  }

  /** Starts a new server with settings such as {@code fsync=off}. */
  public static PostgresServer start(String... settings) {
    return new PostgresServer(List.of(settings));
  }

  private ServerProcess run() {
    List<String> command =
        new ArrayList<>(
            List.of(
                programs.resolve("postgres").toString(),
                "-D",
                directory.resolve("data").toString(),
                "-h",
                "127.0.0.1",
                "-p",
                "" + port,
                "-k",
                directory.toString(),
                "-c",
                "max_connections=300"));
    settings.forEach(setting -> command.addAll(List.of("-c", setting)));
    ServerProcess started =
        ServerProcess.start(ServerProcess.unprivileged(command), Map.of(), log());
    started.awaitPort(port);
    started.awaitUntil(this::isReady);
    return started;
  }

  /** The server writes into its lock file, as the eighth line, what it is doing. */
  private boolean isReady() {
    try {
      List<String> lines = Files.readAllLines(directory.resolve("data/postmaster.pid"));
      return lines.size() > 7 && lines.get(7).startsWith("ready");
    } catch (IOException e) {
      return false;
    }
  }

  private Path log() {
    return directory.resolve("log");
  }

  /** Returns its port. */
  public int port() {
    return port;
  }

  /** Returns the JDBC URL, with the user in it. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  /** Returns the process, to be paused and resumed. */
  public ServerProcess process() {
    return process;
  }

  /** Ends it in good order, connections cut; the data stays. */
  public void stop() {
    process.stop("INT");
  }

  /** Kills it with its children; the data is what was written. */
  public void kill() {
    List<ProcessHandle> children = process.descendants();
    process.kill();
    children.forEach(ProcessHandle::destroyForcibly);
  }

  /** Starts it again on the same port and data. */
  public void restart() {
    if (process.isAlive()) {
      stop();
    }
    process = run();
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      process.resume();
      kill();
    }
    Archives.delete(directory);
  }
}
