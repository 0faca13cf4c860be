/**
 * The strategies with a lease record for each name: read, decided by the lock machine, written.
 *
 * <p>Knows nothing of row locks, which are another strategy.
 */
@NullMarked
package dev.pawl.jdbc.lease;

import org.jspecify.annotations.NullMarked;
