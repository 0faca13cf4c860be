/**
 * The engine of a node, internal: what its user has in hand, and behind it a package for each
 * subject.
 *
 * <p>From below: {@code time} and {@code threads}; {@code link}, the way to the store; {@code
 * claims}, one claim as a state machine; {@code locks}, how callers become claims and claims become
 * leases; on top of that {@code deadlocks} and {@code jobs}. None knows of one that stands above
 * it. Time comes from a {@code Ticker}, wake-ups from a {@code Scheduler} and threads from
 * executors, all passed in, so that a simulation runs this very code on one thread.
 */
@NullMarked
package dev.pawl.engine;

import org.jspecify.annotations.NullMarked;
