package dev.pawl.testservers;

/** A PostgreSQL server for a script: prints its URL, and ends when its input does. */
public final class PostgresMain {

  private PostgresMain() {}

  public static void main(String[] args) throws Exception {
    try (PostgresServer server = PostgresServer.start("fsync=off")) {
      System.out.println(server.url());
      while (System.in.read() >= 0) {
        // Until whoever started it has gone.
      }
    }
  }
}
