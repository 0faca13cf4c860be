/**
 * How a primary store and its backup change places, as a pure function: {@link
 * dev.pawl.degrade.protocol.ModeMachine} over the one {@link dev.pawl.degrade.protocol.ModeRecord},
 * and a node's side of it. No clock, thread or I/O in here.
 *
 * <p>The protocol and why it holds are told in {@code
 * docs/decisions/0019-a-primary-and-its-backup.md}.
 */
@NullMarked
package dev.pawl.degrade.protocol;

import org.jspecify.annotations.NullMarked;
