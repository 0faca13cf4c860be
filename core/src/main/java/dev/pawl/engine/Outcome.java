package dev.pawl.engine;

import dev.pawl.PawlException;
import dev.pawl.spi.Contention;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a waiter's call ended. */
sealed interface Outcome {

  record Held(HeldLease lease) implements Outcome {}

  /** Somebody else had it; {@code why} says who, and so does the store's answer if it gave one. */
  record Refused(Supplier<String> why, @Nullable Contention contention) implements Outcome {}

  record Done(long mark) implements Outcome {}

  /** An exception, to be made in the thread that throws it so that its trace is of use. */
  record Failed(Supplier<? extends RuntimeException> exception) implements Outcome {

    static Failed with(Supplier<? extends PawlException> exception) {
      return new Failed(exception);
    }
  }
}
