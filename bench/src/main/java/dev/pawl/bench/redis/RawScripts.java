package dev.pawl.bench.redis;

/** What the bare drivers have in common. */
final class RawScripts {

  /** The same as Pawl's. */
  static final long LEASE_MILLIS = 10_000;

  /** Compare and delete, the other half of {@code SET NX PX}. */
  static final String UNLOCK =
      """
      if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
      return 0
      """;

  private RawScripts() {}

  static void checkFreed(Object answer, String name) {
    if (!Long.valueOf(1).equals(answer)) {
      throw new IllegalStateException(name + " was not held any more");
    }
  }
}
