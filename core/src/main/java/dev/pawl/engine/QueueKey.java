package dev.pawl.engine;

/**
 * Which local queue: the one that all exclusive callers of a name share, or that of a single claim.
 *
 * @param solo the counter of the single claim; zero for the shared queue, and below zero for that
 *     of a claim that has not been made yet
 */
record QueueKey(String name, long solo) {

  static QueueKey pooled(String name) {
    return new QueueKey(name, 0);
  }

  static QueueKey unborn(String name) {
    return new QueueKey(name, -1);
  }

  boolean isSolo() {
    return solo != 0;
  }
}
