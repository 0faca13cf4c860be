/**
 * The engine of a node, internal: how threads become claims, and claims become leases.
 *
 * <p>Read {@code LocalQueue} first: one for each name in use, it lines up the node's own threads
 * and holds the one {@code Claim} by which the node contends in the store. A {@code Claim} is the
 * conversation with the store about one claim id, from asking to being over. {@code TimerQueue}
 * wakes both; {@code LeaseKeeper} sends what is due in one batch a shard; {@code Ending} delivers
 * releases and cancels, however long it takes.
 *
 * <p>State is guarded by the lock of its {@code LocalQueue}. That lock is never held across a call
 * to the store or to the user: what has to be called is collected in {@code Afterwards} and done
 * after unlocking. Time comes from a {@code Ticker}, wake-ups from a {@code Scheduler} and threads
 * from two executors, all passed in, so that a simulation runs this very code on one thread.
 */
@NullMarked
package dev.pawl.engine;

import org.jspecify.annotations.NullMarked;
