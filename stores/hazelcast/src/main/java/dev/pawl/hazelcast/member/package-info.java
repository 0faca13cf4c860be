/**
 * What runs on the members: turns of the lock machine on the entry of a name, the clock they go by,
 * and what is stored and sent. For the members' class path, and for nobody to call.
 */
@NullMarked
package dev.pawl.hazelcast.member;

import org.jspecify.annotations.NullMarked;
