/**
 * A Quartz cluster without tables: {@link dev.pawl.quartz.PawlJobStore} keeps jobs and triggers in
 * memory on each node, as Quartz' own store in memory does, and Pawl decides which node fires.
 *
 * <p>How a fire goes: the scheduler's thread takes a trigger whose time has come and asks the job
 * store to fire it. What runs under Pawl is not handed back then. It becomes a {@code Fire}, which
 * asks for its tick and stands by without a thread. When it has the tick, it stands in line at
 * {@code Fires}, from where the scheduler's thread gets it as the next trigger that is due, and
 * runs it on one of the scheduler's own threads, with all listeners. One that another node has run
 * ends here without a trace: Quartz never heard of it.
 */
@NullMarked
package dev.pawl.quartz;

import org.jspecify.annotations.NullMarked;
