package dev.pawl.engine.locks;

import dev.pawl.PawlException;
import dev.pawl.spi.Contention;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a caller's call ended. */
public sealed interface CallResult {

  record Held(HeldLease lease) implements CallResult {}

  /** Somebody else had it; {@code why} says who, and so does the store's answer if it gave one. */
  record Refused(Supplier<String> why, @Nullable Contention contention) implements CallResult {}

  record Done(long mark) implements CallResult {}

  /** An exception, to be made in the thread that throws it so that its trace is of use. */
  record Failed(Supplier<? extends RuntimeException> exception) implements CallResult {

    public static Failed with(Supplier<? extends PawlException> exception) {
      return new Failed(exception);
    }
  }
}
