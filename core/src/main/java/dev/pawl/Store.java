package dev.pawl;

/**
 * A store that remembers who holds what: a database, a Redis, a ZooKeeper, or this process's
 * memory.
 *
 * <p>Users open one, hand it to {@link Pawl#builder(Store)} and close it; what a backend has to
 * implement is {@code dev.pawl.spi.LockStore}.
 */
public interface Store extends AutoCloseable {

  /** Returns what people call this store in messages: its kind and place, never a secret. */
  String describe();

  /**
   * Closes the store's connections; the locks in it stay as they are. A second close is ignored.
   */
  @Override
  void close();
}
