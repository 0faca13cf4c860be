package dev.pawl.bench.contest;

/**
 * What came of a slice, in one process.
 *
 * @param pairs how many times a lock was taken and freed
 * @param cpuNanos how much of the processors the process used
 * @param errors how many times it failed
 * @param firstError how it failed; empty if it did not
 */
record Tally(long pairs, long cpuNanos, long errors, String firstError) {

  static final Tally NONE = new Tally(0, 0, 0, "");

  Tally plus(Tally other) {
    return new Tally(
        pairs + other.pairs,
        cpuNanos + other.cpuNanos,
        errors + other.errors,
        firstError.isEmpty() ? other.firstError : firstError);
  }

  /** Returns what an exception says, and what the first cause of it said. */
  static String describe(Throwable error) {
    Throwable first = error;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    return first == error ? error.toString() : error + "; caused by " + first;
  }

  /** Returns it as words that a worker answers with. */
  String[] words() {
    return new String[] {"" + pairs, "" + cpuNanos, "" + errors, firstError};
  }

  static Tally of(String[] words) {
    return new Tally(
        Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), words[3]);
  }
}
