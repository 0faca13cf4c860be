/**
 * Locks in a SQL database. Only {@code dev.pawl.jdbc} is for users; how a lock is kept, and what
 * differs between databases, is not exported.
 */
@SuppressWarnings("module") // PostgreSQL's driver is there or not, and is found by JDBC.
module dev.pawl.jdbc {
  requires com.zaxxer.hikari;
  requires transitive dev.pawl;
  requires transitive java.sql;
  requires static org.jspecify;
  requires org.slf4j;

  exports dev.pawl.jdbc;
  // The driver makes sockets by the name of a class of ours. No driver is required: each is found
  // by JDBC as a service, and what PostgreSQL's can do beyond JDBC is called by name.
  exports dev.pawl.jdbc.dialect to
      org.postgresql.jdbc;

  provides dev.pawl.spi.StoreProvider with
      dev.pawl.jdbc.JdbcStoreProvider;
}
