/**
 * How competitors are compared: who takes part, in which scenarios, and what comes out.
 *
 * <p>A {@link dev.pawl.bench.contest.Contest} starts a server and a few {@link
 * dev.pawl.bench.contest.Worker} processes, each of which can open every competitor of a {@link
 * dev.pawl.bench.contest.Suite}. It first checks that each competitor really excludes, and then
 * lets them take turns, in rounds, so that what disturbs the machine disturbs all of them alike.
 */
@NullMarked
package dev.pawl.bench.contest;

import org.jspecify.annotations.NullMarked;
