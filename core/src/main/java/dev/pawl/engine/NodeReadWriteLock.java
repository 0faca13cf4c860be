package dev.pawl.engine;

import dev.pawl.DistributedLock;
import dev.pawl.DistributedReadWriteLock;

/** The two locks of one name. */
record NodeReadWriteLock(String name, DistributedLock readLock, DistributedLock writeLock)
    implements DistributedReadWriteLock {}
