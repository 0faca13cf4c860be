package dev.pawl.spi;

/** Opens the stores of one kind by URL; found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {

  /** Returns the form of URL this provider opens, for messages: {@code memory:[NAME]}. */
  String form();

  /** Tells whether the URL is of this provider's form. */
  boolean accepts(String url);

  /**
   * Opens the store.
   *
   * @throws IllegalArgumentException if the URL is malformed; the message shows no secret
   * @throws dev.pawl.StoreUnavailableException if it cannot be reached
   */
  LockStore open(String url);

  /**
   * Opens the store to look at it: nothing is created, neither a file nor a table, and nothing is
   * cleaned up. What does not exist yet is an {@link AbsentStore}. A backend that cannot keep
   * locks, such as a replica, is opened all the same, for {@link LockStore#examine} to say so.
   *
   * @throws IllegalArgumentException if the URL is malformed; the message shows no secret
   * @throws dev.pawl.StoreUnavailableException if it cannot be reached
   */
  default LockStore openExisting(String url) {
    return open(url);
  }
}
