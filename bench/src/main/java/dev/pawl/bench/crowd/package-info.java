/**
 * {@code bench/run crowd}: what very many callers, holders and waiting nodes cost a server, beside
 * Redisson and the raw driver.
 *
 * <p>{@link dev.pawl.bench.crowd.Crowd} starts a server and, for each {@link
 * dev.pawl.bench.crowd.Situation} and each {@link dev.pawl.bench.crowd.Library}, client processes
 * ({@link dev.pawl.bench.crowd.Client}); it looks at the server from outside while they work.
 */
@org.jspecify.annotations.NullMarked
package dev.pawl.bench.crowd;
