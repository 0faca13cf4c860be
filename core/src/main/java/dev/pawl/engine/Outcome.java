package dev.pawl.engine;

import dev.pawl.PawlException;
import java.util.function.Supplier;

/** How a waiter's call ended. */
sealed interface Outcome {

  record Held(HeldLease lease) implements Outcome {}

  /** Somebody else had it; {@code why} says who. */
  record Refused(Supplier<String> why) implements Outcome {}

  record Done(long mark) implements Outcome {}

  /** An exception, to be made in the thread that throws it so that its trace is of use. */
  record Failed(Supplier<? extends RuntimeException> exception) implements Outcome {

    static Failed with(Supplier<? extends PawlException> exception) {
      return new Failed(exception);
    }
  }
}
