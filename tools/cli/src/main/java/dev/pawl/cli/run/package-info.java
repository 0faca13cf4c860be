/**
 * {@code pawl run}: a command under a lock.
 *
 * <p>The command must be dead before anybody else can be granted its lock. Two processes see to
 * that: {@code pawl}, which holds and renews the lease, and beside it the leash, a shell of a few
 * lines that is told after each renewal how long the command may live. Nothing that befalls {@code
 * pawl} makes the command outlive its lease: killed, the leash's input ends; stopped, the leash's
 * time runs out. Both, and the command, are in sessions of their own, so that what hits one does
 * not hit the others.
 */
@NullMarked
package dev.pawl.cli.run;

import org.jspecify.annotations.NullMarked;
