/** Locks in ZooKeeper. */
@NullMarked
package dev.pawl.bench.zookeeper;

import org.jspecify.annotations.NullMarked;
