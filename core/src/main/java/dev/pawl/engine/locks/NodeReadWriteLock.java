package dev.pawl.engine.locks;

import dev.pawl.DistributedLock;
import dev.pawl.DistributedReadWriteLock;

/** The two locks of one name. */
public record NodeReadWriteLock(String name, DistributedLock readLock, DistributedLock writeLock)
    implements DistributedReadWriteLock {}
