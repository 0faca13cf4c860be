/**
 * The strategy in which a lock is a row that an open transaction has locked.
 *
 * <p>Knows nothing of lease records, which are another strategy.
 */
@NullMarked
package dev.pawl.jdbc.rowlock;

import org.jspecify.annotations.NullMarked;
