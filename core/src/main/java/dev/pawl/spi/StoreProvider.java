package dev.pawl.spi;

/** Opens the stores of one kind by URL; found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {

  /** Returns the form of URL this provider opens, for messages: {@code memory:[NAME]}. */
  String form();

  /** Tells whether the URL is of this provider's form. */
  boolean accepts(String url);

  /** Tells whether it opens stores that are made of others, whose URLs are parts of its own. */
  default boolean combines() {
    return false;
  }

  /**
   * Returns the provider on the class path that opens the URL.
   *
   * @throws IllegalArgumentException if there is none; the message shows no secret
   */
  static StoreProvider forUrl(String url) {
    return Providers.forUrl(url);
  }

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
