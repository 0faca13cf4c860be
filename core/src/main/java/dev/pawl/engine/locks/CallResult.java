package dev.pawl.engine.locks;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl.Monitor;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
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

  /** Returns what those who watch are told of a call's end; without an outcome, it threw. */
  static Monitor.Ending ending(Caller caller, @Nullable CallResult outcome) {
    if (outcome instanceof Held) {
      return caller.granted;
    }
    if (outcome instanceof Refused) {
      return caller.isImmediate() ? Monitor.Ending.BUSY : Monitor.Ending.TIMED_OUT;
    }
    return ending(outcome instanceof Failed failed ? failed.exception().get() : null);
  }

  /** Returns what those who watch are told of a call that threw. */
  static Monitor.Ending ending(@Nullable Throwable error) {
    return error instanceof StoreUnavailableException
        ? Monitor.Ending.UNAVAILABLE
        : error instanceof OutcomeUnknownException ? Monitor.Ending.UNKNOWN : Monitor.Ending.FAILED;
  }
}
