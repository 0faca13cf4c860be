/**
 * Jobs that run once for each tick, and elections: both stand on the same queues and claims as
 * every lock.
 */
@NullMarked
package dev.pawl.engine.jobs;

import org.jspecify.annotations.NullMarked;
