/** Running a statement: the one place that prepares, sets parameters and reads results. */
@NullMarked
package dev.pawl.jdbc.sql;

import org.jspecify.annotations.NullMarked;
