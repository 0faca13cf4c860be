/**
 * Locks in ZooKeeper.
 *
 * <p><b>What is stored:</b> below the root, {@code locks/NAME} is a container, and in it each claim
 * is an ephemeral sequential node whose name says what the claim wants; with the simple strategy,
 * {@code locks/NAME} is itself the ephemeral node of who holds the name. {@code marks/NAME} is
 * persistent; {@code sessions/ID} tells a session which of its claims were removed by force; {@code
 * journal/NAME/…} is the journal; {@code registers/KEY} is a register, persistent, whose version is
 * that of its data. <b>What makes it atomic:</b> a node is made in one transaction, and its place
 * in the line is decided by then. The holders are the head of the line; nobody writes that down.
 * <b>Which clock:</b> none for exclusion, which ends with the node; a lease is ended by the process
 * that has it while it lives, and by its session when it does not. Times for people are those of
 * the stat of what was just written.
 *
 * <table>
 *   <caption>What happens when something fails</caption>
 *   <tr><td>a process dies<td>its nodes go when its session ends
 *   <tr><td>a process is stopped for longer<td>the same; it finds its leases lost when it wakes
 *   <tr><td>the connection is lost<td>it is made again, in the same session if that is in time; a
 *       request that was not answered is looked for by its claim
 *   <tr><td>a server is cut off from its leader<td>it goes on answering reads; leases on it end two
 *       fifths of the session timeout after the leader's last answer, before the leader ends the
 *       session
 *   <tr><td>the quorum is lost<td>nothing is granted, and leases end the same way; sessions live
 *       on, and nodes are there when it is back
 * </table>
 */
@NullMarked
package dev.pawl.zookeeper;

import org.jspecify.annotations.NullMarked;
