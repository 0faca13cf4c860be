package dev.pawl;

import java.util.Optional;

/**
 * A store that remembers who holds what: a database, a Redis, a ZooKeeper, a Hazelcast, a primary
 * and its backup, or this process's memory.
 *
 * <p>Users open one, hand it to {@link Pawl#builder(Store)} and close it; what a backend has to
 * implement is {@code dev.pawl.spi.LockStore}.
 */
public interface Store extends AutoCloseable {

  /** Returns what people call this store in messages: its kind and place, never a secret. */
  String describe();

  /**
   * Returns where the locks are, of a store that has them in more than one place, as this process
   * last heard: {@code primary}, {@code leaving}, {@code backup} or {@code returning} of a primary
   * and its backup. Empty for every other store. Nothing is asked for it.
   */
  default Optional<String> mode() {
    return Optional.empty();
  }

  /**
   * Closes the store's connections; the locks in it stay as they are. A second close is ignored.
   */
  @Override
  void close();
}
