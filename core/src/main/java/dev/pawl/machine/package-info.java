/**
 * The lock itself, as a pure function: {@link dev.pawl.machine.LockMachine} over {@link
 * dev.pawl.machine.LockState}.
 *
 * <p>No clock, thread or I/O in here. Stores that can run it do; the others are compared with it,
 * command by command.
 */
@NullMarked
package dev.pawl.machine;

import org.jspecify.annotations.NullMarked;
