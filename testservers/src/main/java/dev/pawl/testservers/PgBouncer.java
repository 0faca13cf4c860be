package dev.pawl.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A PgBouncer in front of a PostgreSQL server, where the program is installed: Maven Central has
 * none.
 */
public final class PgBouncer implements AutoCloseable {

  private final Path directory;
  private final int port;
  private final ServerProcess process;

  private PgBouncer(Path directory, int port, Path program, PostgresServer server, String mode) {
    this.directory = directory;
    this.port = port;
    Path settings = directory.resolve("pgbouncer.ini");
    Path users = directory.resolve("users.txt");
    try {
      Files.writeString(users, "\"postgres\" \"\"\n");
      Files.writeString(
          settings,
          """
          [databases]
          * = host=127.0.0.1 port=%d
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          auth_type = trust
          auth_file = %s
          pool_mode = %s
          max_client_conn = 200
          ignore_startup_parameters = extra_float_digits
          """
              .formatted(server.port(), port, users, mode));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = List.of(program.toString(), settings.toString());
    Path log = directory.resolve("log");
    this.process = ServerProcess.start(ServerProcess.unprivileged(command), Map.of(), log);
    process.awaitUntil(() -> isListening(log));
  }

  /** It says so itself: somebody may answer on the port who is not this one. */
  private boolean isListening(Path log) {
    try {
      return Files.readString(log).contains("listening on 127.0.0.1:" + port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the program, if it is on the path or where Debian puts it. */
  public static Optional<Path> program() {
    String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .map(each -> Path.of(each, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts one in front of the server; the mode is session, transaction or statement. */
  public static PgBouncer start(Path program, PostgresServer server, String mode) {
    Path directory = Archives.directory("pawl-pgbouncer");
    return ServerStart.onFreePort(port -> new PgBouncer(directory, port, program, server, mode));
  }

  /** Returns the JDBC URL, with the user in it. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  @Override
  public void close() {
    process.kill();
    Archives.delete(directory);
  }
}
