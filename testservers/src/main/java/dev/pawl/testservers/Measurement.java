package dev.pawl.testservers;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A count or a time that is taken on a machine which may stall at any moment: a node that waited in
 * vain for a second asks again, and a thread that did not run is late. Such a moment spoils one
 * round; what is not as claimed spoils them all.
 */
@FunctionalInterface
public interface Measurement {

  /** Takes it once, from the beginning, and asserts what is claimed. */
  void take() throws Exception;

  /** Takes it until it is as claimed, five times at the most; a round that is not is shown. */
  static void inOneOfFive(Measurement measurement) throws Exception {
    @Nullable AssertionError last = null;
    for (int round = 1; round <= 5; round++) {
      try {
        measurement.take();
        return;
      } catch (AssertionError e) {
        last = e;
        System.err.println("round " + round + " of 5 was not as claimed: " + e.getMessage());
      }
    }
    throw Objects.requireNonNull(last);
  }
}
