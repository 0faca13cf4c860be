/**
 * Locks in Redis: one server, the master that Sentinel names, a cluster; and Redlock, over several
 * independent servers.
 *
 * <p><b>What is stored.</b> One string for each name in use, {@code pawl:{TAG}:NAME}: the state of
 * the lock machine, packed, or in the usual case a text of the one claim that holds it. The tag is
 * one of 64, chosen by the name, so that names of one tag can be renewed in one command of a
 * cluster. The journal is a stream, {@code pawl:journal}, of about 10,000 entries, and one of a
 * hundred for each name that has any. What nobody uses expires by itself. A register is a string,
 * {@code pawl:register:{TAG}:KEY}, that does not.
 *
 * <p><b>What makes it atomic.</b> Every operation is one Lua script (put together by {@link
 * dev.pawl.redis.store.ScriptParts} from {@code waiters.lua}, {@code state.lua}, {@code queue.lua},
 * {@code ask.lua} and {@code end.lua}, and one file for each operation) on one key, which reads the
 * state, does what {@code LockMachine} does, and writes last. A script that ends in an error has
 * written nothing. The usual case, a name that nobody uses and a holder alone, stands first in its
 * script ({@code acquire-fast.lua}, {@code release-fast.lua}) and does without the machine.
 *
 * <p><b>Which clock.</b> The server's own, {@code TIME}, in microseconds. In Redlock each server
 * judges by its own, and the node counts from before it asked.
 *
 * <p><b>How waiters wake.</b> The script that frees a name chooses the next holder and publishes
 * the grant on the channel of that node, {@code pawl:node:ID}. A node has one subscription. A
 * message that is lost costs a poll, which every waiter makes before its claim window is over.
 *
 * <p>In a cluster the script publishes on the node's channel of the name's tag, {@code
 * pawl:node:{TAG}:ID}, with {@code SPUBLISH}: only the servers of that slot hear of it, and a node
 * listens to its 64 channels over one connection to each master. If nobody listens there, or the
 * server is older than Redis 7, the script publishes on {@code pawl:node:ID}, of which all servers
 * hear. So nothing is lost while a slot moves, a master is replaced or a cluster is upgraded.
 *
 * <table>
 *   <caption>What happens on failure</caption>
 *   <tr><th>failure</th><th>one Redis, Sentinel, Cluster</th><th>Redlock</th></tr>
 *   <tr><td>a node dies</td><td>its names are free after the lease</td><td>the same</td></tr>
 *   <tr><td>the connection breaks</td><td>commands fail or are repeated by their claim; waiters go
 *       on; leases end at their deadline if it lasts</td><td>that server does not vote</td></tr>
 *   <tr><td>a server stalls</td><td>outcome unknown after the command timeout; in a cluster only
 *       the names of that master</td><td>it does not vote after the server timeout</td></tr>
 *   <tr><td>a server restarts without its data</td><td>two nodes may hold a name until the first
 *       notices at its next renewal; tokens rise all the same</td><td>nothing while a majority
 *       remembers, with {@code restartDelay}</td></tr>
 *   <tr><td>failover to a replica that missed the last writes</td><td>the same as without its
 *       data, for those writes</td><td>does not apply</td></tr>
 *   <tr><td>a slot moves, a replica is promoted</td><td>messages go by way of all servers until the
 *       node listens at the new master; waiters ask once</td><td>does not apply</td></tr>
 *   <tr><td>the server's clock steps forward</td><td>leases end early in the store; the node
 *       learns it at its next renewal</td><td>one vote</td></tr>
 *   <tr><td>the server's clock steps back</td><td>leases last longer; tokens rise as long as the
 *       server remembers the last one, which ends with a release that nobody waits
 *       for</td><td>one vote</td></tr>
 *   <tr><td>memory is full</td><td>whoever asks for something new is refused; what is held is
 *       renewed, released and passed on</td><td>that server does not vote for anything
 *       new</td></tr>
 * </table>
 */
@NullMarked
package dev.pawl.redis;

import org.jspecify.annotations.NullMarked;
