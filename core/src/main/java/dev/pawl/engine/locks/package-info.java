/**
 * How callers become claims, and claims become leases.
 *
 * <p>Read {@code LocalQueue} first: one for each name in use, with the lock that guards all of it.
 * In it a {@code Contender} for each kind of claim has the line of callers; its {@code ClaimPool}
 * asks the store, and {@code HandOver} decides what becomes of a grant. {@code LeaseKeeper} sends
 * the renewals that are due, together for each shard.
 *
 * <p>The lock is never held across a call to the store or to the user: what has to be called is
 * collected in {@code Afterwards} and done after unlocking.
 */
@NullMarked
package dev.pawl.engine.locks;

import org.jspecify.annotations.NullMarked;
