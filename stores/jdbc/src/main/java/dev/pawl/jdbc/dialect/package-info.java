/**
 * What differs between databases: one class for each, and what they all share.
 *
 * <p>A new database is a class here and a line in {@code SqlDatabase}. Nobody outside this package
 * asks which database it is; a rule says so.
 */
@NullMarked
package dev.pawl.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
