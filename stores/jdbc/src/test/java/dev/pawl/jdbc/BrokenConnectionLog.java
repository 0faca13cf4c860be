package dev.pawl.jdbc;

import dev.pawl.PawlException;
import dev.pawl.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.concurrent.CompletionException;

/** A process whose connections to PostgreSQL are ended by the server, again and again. */
final class BrokenConnectionLog {

  private static final int TIMES = 5;

  private BrokenConnectionLog() {}

  public static void main(String[] arguments) throws Exception {
    String name = "broken" + ProcessHandle.current().pid();
    String url =
        arguments[0] + (arguments[0].contains("?") ? "&" : "?") + "ApplicationName=" + name;
    JdbcOptions options = Databases.newTables().withPoolSize(1);
    try (Connection admin = DriverManager.getConnection(url);
        JdbcStore store = JdbcStore.open(url, options)) {
      for (int broken = 0; broken < TIMES; ) {
        Sql.text(
            admin,
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                + " WHERE pid <> pg_backend_pid() AND application_name = ?",
            name);
        try {
          store.find("x").toCompletableFuture().join();
        } catch (CompletionException e) {
          if (!(e.getCause() instanceof PawlException)) {
            throw e;
          }
          broken++;
        }
      }
    }
    System.out.println("broken " + TIMES + " times");
  }
}
