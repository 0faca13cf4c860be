package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A MySQL server on a free port, user {@code root}, no password, database {@code test}. It needs
 * {@code libaio.so.1}, which Debian has in its package libaio1.
 */
public final class MySqlServer extends DatabaseServer {

  private MySqlServer(Path directory, List<String> settings) {
    super(directory, install(directory), settings);
  }

  /** Tells whether the program runs on this machine. */
  public static boolean isAvailable() {
    return Program.RUNS;
  }

  private static final class Program {
    static final boolean RUNS = runs();

    private static boolean runs() {
      try {
        ProcessBuilder version = new ProcessBuilder(mysqld(), "--version");
        version.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        return version.start().waitFor() == 0;
      } catch (IOException e) {
        return false; // A program for other machines than this one.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /** Starts a new server with settings such as {@code innodb-flush-log-at-trx-commit=0}. */
  public static MySqlServer start(String... settings) {
    return new MySqlServer(Archives.directory("pawl-mysql"), List.of(settings));
  }

  private static Path home() {
    return Archives.ofGzippedTar("mysql-8.0.15", "mysql-Linux-amd64.tar.gz");
  }

  private static String mysqld() {
    return home().resolve("bin/mysqld").toString();
  }

  private static List<String> install(Path directory) {
    Path users = directory.resolve("users.sql");
    try {
      // The root that it makes by itself may come through the socket alone.
      Files.writeString(
          users,
          """
          CREATE DATABASE test;
          CREATE USER 'root'@'127.0.0.1' IDENTIFIED WITH mysql_native_password BY '';
          GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;
          """);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.of(
        mysqld(),
        "--no-defaults",
        "--basedir=" + home(),
        "--datadir=" + data(directory),
        "--initialize-insecure",
        "--init-file=" + users);
  }

  @Override
  List<String> command(List<String> settings) {
    List<String> command =
        new ArrayList<>(
            List.of(
                mysqld(),
                "--no-defaults",
                "--basedir=" + home(),
                "--datadir=" + data(),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + pidFile(),
                // A protocol that listens on a port of its own.
                "--mysqlx=OFF",
                "--skip-ssl",
                "--skip-log-bin",
                "--skip-name-resolve",
                "--max-connections=300"));
    settings.forEach(setting -> command.add("--" + setting));
    return command;
  }

  @Override
  Map<String, String> environment() {
    return Map.of("TMPDIR", directory.toString());
  }

  private Path pidFile() {
    return directory.resolve("pid");
  }

  /** The server writes who it is when it listens. */
  @Override
  boolean isReady(long pid) {
    return ServerProcess.isWrittenIn(pidFile(), pid);
  }

  @Override
  String stopSignal() {
    return "TERM";
  }

  @Override
  public String url() {
    return "jdbc:mysql://127.0.0.1:" + port + "/test?user=root&sslMode=DISABLED";
  }
}
