package dev.pawl.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A PostgreSQL server on a free port, user {@code postgres}, no password. */
public final class PostgresServer extends DatabaseServer {

  private PostgresServer(Path directory, List<String> install, List<String> settings) {
    super(directory, install, settings);
  }

  /** Starts a new server with settings such as {@code fsync=off}. */
  public static PostgresServer start(String... settings) {
    Path directory = newDirectory();
    return new PostgresServer(directory, initdb(directory), List.of(settings));
  }

  /** Starts a hot standby that follows this server, which is restarted for the purpose. */
  public PostgresServer startStandby() {
    stop();
    Path copy = newDirectory();
    PostgresServer standby =
        new PostgresServer(
            copy,
            List.of(
                "sh",
                "-c",
                "cp -R \"$0\" \"$1\" && touch \"$1/standby.signal\"",
                data().toString(),
                data(copy).toString()),
            List.of("primary_conninfo=host=127.0.0.1 port=" + port + " user=postgres"));
    restart();
    return standby;
  }

  private static Path newDirectory() {
    return Archives.directory("pawl-postgres");
  }

  private static String program(String name) {
    Path home = Archives.ofTar("postgresql-18.6.0", "postgres-linux-x86_64.txz");
    return home.resolve("bin").resolve(name).toString();
  }

  private static List<String> initdb(Path directory) {
    return List.of(
        program("initdb"),
        "--pgdata=" + data(directory),
        "--username=postgres",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-locale",
        "--no-sync",
        "--no-instructions");
  }

  @Override
  List<String> command(List<String> settings) {
    List<String> command =
        new ArrayList<>(
            List.of(
                program("postgres"),
                "-D",
                data().toString(),
                "-h",
                "127.0.0.1",
                "-p",
                "" + port,
                "-k",
                directory.toString(),
                "-c",
                "max_connections=300"));
    settings.forEach(setting -> command.addAll(List.of("-c", setting)));
    return command;
  }

  /** The server writes who it is into its lock file, and as the eighth line what it is doing. */
  @Override
  boolean isReady(long pid) {
    try {
      List<String> lines = Files.readAllLines(data().resolve("postmaster.pid"));
      return lines.size() > 7 && lines.get(0).equals("" + pid) && lines.get(7).startsWith("ready");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  String stopSignal() {
    return "INT";
  }

  @Override
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }
}
