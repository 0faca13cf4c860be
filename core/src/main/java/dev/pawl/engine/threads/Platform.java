package dev.pawl.engine.threads;

import dev.pawl.engine.time.Scheduler;
import dev.pawl.engine.time.Ticker;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What the engine needs of the world, so that a simulation can be the world.
 *
 * @param io where calls to a store that blocks are made, unless the caller waits anyway
 * @param renewals where renewals of a store that blocks are made, so that nothing stands before
 *     them
 * @param search where deadlocks are looked for, which may take its time
 * @param callbacks where the user's code runs
 * @param losses where the user's code is told of losses, so that no other code of his stands before
 *     it
 * @param bodies where the bodies of jobs and elections run, for as long as they like
 * @param bugs is told of what the engine could not handle
 * @param shutdown ends the threads behind the others
 */
public record Platform(
    Ticker ticker,
    Scheduler scheduler,
    Executor io,
    Executor renewals,
    Executor search,
    Executor callbacks,
    Executor losses,
    Executor bodies,
    RandomGenerator random,
    Consumer<Throwable> bugs,
    Runnable shutdown) {}
