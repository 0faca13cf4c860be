package dev.pawl.engine;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What the engine needs of the world, so that a simulation can be the world.
 *
 * @param io where calls to a store that blocks are made, unless the caller waits anyway
 * @param renewals where renewals of a store that blocks are made, so that nothing stands before
 *     them
 * @param callbacks where the user's code runs
 * @param bodies where the bodies of jobs and elections run, for as long as they like
 * @param bugs is told of what the engine could not handle
 * @param shutdown ends the threads behind the others
 */
record Platform(
    Ticker ticker,
    Scheduler scheduler,
    Executor io,
    Executor renewals,
    Executor callbacks,
    Executor bodies,
    RandomGenerator random,
    Consumer<Throwable> bugs,
    Runnable shutdown) {}
