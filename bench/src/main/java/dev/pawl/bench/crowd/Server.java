package dev.pawl.bench.crowd;

import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;

/** A server, as somebody sees it who is not part of the crowd. */
interface Server extends AutoCloseable {

  /** Returns where it is. */
  String address();

  /**
   * Returns the processor time that it has used so far, in seconds, its child processes included.
   */
  double cpuSeconds();

  /** Connects another client, and returns what asks the least thing there is and waits for it. */
  Ping ping() throws Exception;

  @Override
  void close();

  /** A client that is not part of the crowd. */
  interface Ping extends AutoCloseable {

    void run() throws Exception;

    @Override
    void close() throws Exception;
  }

  /** Starts one. */
  static Server start(String kind) {
    return switch (kind) {
      case "redis" -> new Redis(RedisServer.start("--maxclients", "20000"));
      case "postgresql" -> new Postgres(PostgresServer.start());
      default -> throw new IllegalArgumentException("no server \"" + kind + "\"");
    };
  }

  /** One Redis. */
  record Redis(RedisServer server) implements Server {

    @Override
    public String address() {
      return server.url();
    }

    @Override
    public double cpuSeconds() {
      String info = String.valueOf(server.call("INFO", "cpu"));
      double sum = 0;
      for (String line : info.lines().toList()) {
        if (line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:")) {
          sum += Double.parseDouble(line.substring(line.indexOf(':') + 1).trim());
        }
      }
      return sum;
    }

    @Override
    public Ping ping() {
      RespClient client = new RespClient(server.port());
      return new Ping() {
        @Override
        public void run() {
          client.call("PING");
        }

        @Override
        public void close() {
          client.close();
        }
      };
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** One PostgreSQL, with a process for each connection. */
  record Postgres(PostgresServer server) implements Server {

    private static final double TICKS_A_SECOND = 100;

    @Override
    public String address() {
      return server.url();
    }

    @Override
    public double cpuSeconds() {
      double ticks = ticks(server.process().pid());
      for (ProcessHandle child : server.process().descendants()) {
        ticks += ticks(child.pid());
      }
      return ticks / TICKS_A_SECOND;
    }

    /** User and system time of a process, and of those of its children that have ended. */
    private static double ticks(long pid) {
      try {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        List<String> words = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
        return words.subList(11, 15).stream().mapToDouble(Double::parseDouble).sum();
      } catch (NoSuchFileException e) {
        return 0; // It ended just now, and is counted with its parent.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public Ping ping() throws Exception {
      Connection connection = DriverManager.getConnection(server.url());
      Statement statement = connection.createStatement();
      return new Ping() {
        @Override
        public void run() throws Exception {
          statement.execute("SELECT 1");
        }

        @Override
        public void close() throws Exception {
          connection.close();
        }
      };
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
