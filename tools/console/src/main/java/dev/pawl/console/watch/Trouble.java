package dev.pawl.console.watch;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.util.Objects;

/**
 * Why the store could not be read.
 *
 * @param code what it is, for the page to say in its own words: {@code unreachable}, {@code
 *     no-answer}, {@code refused} by the store, or {@code bug}
 * @param message the same in words, without secrets
 */
public record Trouble(String code, String message) {

  /** Returns what a failure means. */
  public static Trouble of(Throwable failure) {
    if (!(failure instanceof PawlException)) {
      // Its message may say anything, so it is for the log alone.
      return new Trouble("bug", "the store could not be read; the log of the console says why");
    }
    String message = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    if (failure instanceof StoreUnavailableException) {
      return new Trouble("unreachable", message);
    }
    return new Trouble(
        failure instanceof OutcomeUnknownException ? "no-answer" : "refused", message);
  }
}
