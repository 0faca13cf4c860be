/**
 * The time of a node: its clock, its timers, and what wakes them. All passed in, so that a
 * simulation runs the engine on a clock of its own.
 */
@NullMarked
package dev.pawl.engine.time;

import org.jspecify.annotations.NullMarked;
