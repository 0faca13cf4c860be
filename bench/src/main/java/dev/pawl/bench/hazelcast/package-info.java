/** Locks in a Hazelcast cluster. */
@NullMarked
package dev.pawl.bench.hazelcast;

import org.jspecify.annotations.NullMarked;
