package dev.pawl.engine.link;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** What a failed stage of a store means (I11). */
public final class Failures {

  private Failures() {}

  public static Throwable unwrap(Throwable error) {
    Throwable cause = error.getCause();
    return cause != null
            && (error instanceof CompletionException || error instanceof ExecutionException)
        ? unwrap(cause)
        : error;
  }

  public static boolean isOutcomeUnknown(Throwable error) {
    return unwrap(error) instanceof OutcomeUnknownException;
  }

  /** Tells whether a driver gave up because its thread was interrupted. */
  public static boolean isInterrupt(Throwable error) {
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof InterruptedException
          || e instanceof ClosedByInterruptException
          || (e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException))) {
        return true;
      }
    }
    return false;
  }

  /** Tells an outage, which passes, from a bug or a refusal, which does not. */
  public static boolean isOfTheStore(Throwable error) {
    Throwable cause = unwrap(error);
    return cause instanceof StoreUnavailableException || cause instanceof OutcomeUnknownException;
  }

  /** Returns what to throw for an error that is no outage. */
  public static PawlException unexpected(String what, @Nullable Throwable error) {
    Throwable cause = error == null ? null : unwrap(error);
    return cause instanceof PawlException known
        ? known
        : new PawlException(what + " failed in the store: " + cause, cause);
  }
}
