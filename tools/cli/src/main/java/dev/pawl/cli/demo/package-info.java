/**
 * {@code pawl demo}: the story of the eight servers, played by real processes.
 *
 * <p>The command starts the nodes ({@link dev.pawl.cli.demo.NodeMain}), each a process, and directs
 * them through their standard input: {@code Order} goes there, {@code Report} comes back. What a
 * node sends to a customer is a row in the {@code Outbox}, a SQLite file that has nothing to do
 * with the store of the locks. It has no unique key that would hide a message sent twice, and what
 * the {@code Verdict} counts is its rows, not what nodes say.
 */
@NullMarked
package dev.pawl.cli.demo;

import org.jspecify.annotations.NullMarked;
