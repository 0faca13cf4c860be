/**
 * Locks in a Hazelcast cluster.
 *
 * <p><b>What is stored.</b> One entry for each name in use, in the map {@code pawl.locks}: the
 * state of the lock machine and the time of its last turn, as bytes. The journal is the map {@code
 * pawl.journal}, with a page of at most a hundred lines for each name; registers are the map {@code
 * pawl.registers}. What nobody uses goes with its last release, or is removed by the member that
 * has it, which looks for it every two seconds, by its own clock ({@link
 * dev.pawl.hazelcast.member.MemberClock}).
 *
 * <p><b>What makes it atomic.</b> Every command is an entry processor ({@link
 * dev.pawl.hazelcast.member.LockTurn}), which Hazelcast runs on the member that owns the entry, one
 * at a time. The members need Pawl on their class path for it. The backup is sent the bytes that
 * were written, and computes nothing; the call is answered when the backup has them.
 *
 * <p><b>Which clock.</b> That of the member that owns the name ({@link
 * dev.pawl.hazelcast.member.MemberClock}): the cluster's time, made steady. A client has no clock
 * of the members: {@code getClusterTime()} of a client is its own wall clock, and the times of an
 * entry are whole seconds. So there is no way to lock without Pawl on the members (I12).
 *
 * <p><b>How waiters wake.</b> The turn that frees a name chooses the next holder and publishes the
 * grant on one of 64 topics, {@code pawl.node.N}, that of the holder's node. A message that is lost
 * costs a poll.
 *
 * <table>
 *   <caption>What happens on failure</caption>
 *   <tr><th>failure</th><th>what happens</th></tr>
 *   <tr><td>a node dies</td><td>its names are free after the lease</td></tr>
 *   <tr><td>a member dies</td><td>its names go on from their backups, with tokens that rise; calls
 *       under way are repeated by Hazelcast, which a claim's id makes harmless</td></tr>
 *   <tr><td>two members die at once</td><td>names whose owner and backup they were are forgotten:
 *       two nodes may hold one until the first notices at its next renewal</td></tr>
 *   <tr><td>a member stalls</td><td>outcome unknown for the names that it owns or has the backup
 *       of, until it answers or is taken for dead ({@code hazelcast.max.no.heartbeat.seconds}, 60)</td></tr>
 *   <tr><td>the network between members is cut</td><td>with split-brain protection the smaller side
 *       is unavailable as soon as it has noticed; see the guide for what happens before</td></tr>
 *   <tr><td>a wall clock is set</td><td>nothing: the clock of a member is steady, and follows the
 *       cluster's time by half a percent; and entries have no time to live, which Hazelcast counts by
 *       the wall clock</td></tr>
 *   <tr><td>a name gets another owner</td><td>whoever holds it or waits for it has as much time left
 *       as at the last turn, since the clocks of two members may differ</td></tr>
 * </table>
 */
@NullMarked
package dev.pawl.hazelcast;

import org.jspecify.annotations.NullMarked;
