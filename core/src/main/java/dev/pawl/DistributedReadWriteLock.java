package dev.pawl;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A pair of locks on one name: many readers at a time, or one writer.
 *
 * <p>A thread that holds the write lock may take the read lock and then give up the write lock: it
 * goes on as a reader, with nobody writing in between. The other way round is refused with a {@link
 * DeadlockException}, because two readers who both want to write would wait for each other.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {

  /** Returns the name that is locked. */
  String name();

  /** Returns the lock that many may hold together. */
  @Override
  DistributedLock readLock();

  /** Returns the lock that excludes readers and writers. */
  @Override
  DistributedLock writeLock();
}
