/** The suites on SQL databases: SQLite, PostgreSQL, MariaDB. */
@NullMarked
package dev.pawl.bench.sql;

import org.jspecify.annotations.NullMarked;
