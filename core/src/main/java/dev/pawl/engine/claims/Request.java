package dev.pawl.engine.claims;

import dev.pawl.LockOptions;
import dev.pawl.spi.Command;
import java.util.OptionalLong;

/**
 * What a caller wants: a name, how much of it, and how it is to be held.
 *
 * @param mark the mark to be reached, of a job's claim
 */
public record Request(
    String name, int permits, int capacity, LockOptions options, OptionalLong mark) {

  public static Request exclusive(String name, LockOptions options) {
    return new Request(name, Command.EVERYTHING, Command.EVERYTHING, options, OptionalLong.empty());
  }

  public static Request shared(String name, LockOptions options) {
    return new Request(name, 1, Command.EVERYTHING, options, OptionalLong.empty());
  }

  /** Tells whether it is for the whole name and, unlike a job's, for whoever comes next. */
  public boolean isExclusive() {
    return permits == Command.EVERYTHING && mark.isEmpty();
  }

  /** Tells whether there is one claim at a time: no second one could be granted. */
  public boolean isAlone() {
    return isExclusive() || mark.isPresent();
  }

  /** Tells whether a grant for this request can be passed on to that one as it is. */
  public boolean canPassTo(Request next) {
    return options.renewal() == next.options.renewal()
        && options.lease().equals(next.options.lease());
  }

  int span() {
    return isExclusive() ? options.localPasses() + 1 : 1;
  }

  public long leaseMicros() {
    return options.lease().toNanos() / 1_000;
  }
}
