/**
 * A primary store and its backup behind one: {@code redis://cache:6379 | jdbc:postgresql://db/app}.
 *
 * <p>One record in a register of the backup says which of the two has the locks; it is changed by
 * compare-and-set, as {@link dev.pawl.degrade.protocol.ModeMachine} says. A name is stored under
 * {@code EPOCH~NAME} in both stores, in the first epoch as it is: what an earlier epoch left behind
 * is another name, and nodes that still use the primary alone exclude those that use the pair.
 *
 * <table>
 * <caption>What happens</caption>
 * <tr><th>failure</th><th>what becomes of it</th></tr>
 * <tr><td>the primary is down</td><td>most nodes see it dead: leases are lost, and when all nodes
 * have confirmed that, the backup has the locks</td></tr>
 * <tr><td>a node dies with it</td><td>the same, after its mode lease</td></tr>
 * <tr><td>the primary is back</td><td>what is held is taken in both, then the primary has the locks;
 * nothing is lost</td></tr>
 * <tr><td>the backup is away</td><td>nothing for a mode lease; then leases are lost, and acquires
 * fail with {@link dev.pawl.StoreUnavailableException}</td></tr>
 * <tr><td>one node is cut off from the primary</td><td>it is refused; the others go on</td></tr>
 * </table>
 */
@NullMarked
package dev.pawl.degrade;

import org.jspecify.annotations.NullMarked;
