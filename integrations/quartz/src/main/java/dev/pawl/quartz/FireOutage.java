package dev.pawl.quartz;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** That the store could not be asked for a fire, and when to ask again. */
final class FireOutage {

  private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(15);

  private final AtomicInteger failures = new AtomicInteger();
  private volatile @Nullable Throwable last;

  /** Tells whether an error says that the store could not be asked, and not what its answer is. */
  static boolean isOutage(Throwable error) {
    return error instanceof StoreUnavailableException || error instanceof OutcomeUnknownException;
  }

  void happened(Throwable error) {
    last = error;
  }

  boolean hasHappened() {
    return last != null;
  }

  boolean isFirst() {
    return failures.get() == 0;
  }

  String reason() {
    Throwable why = last;
    return why == null ? "no answer" : String.valueOf(why.getMessage());
  }

  /** Returns after what time to ask again: 1, 2, 4 … 15 seconds. */
  Duration backOff() {
    Duration wait = Duration.ofSeconds(1L << Math.min(failures.getAndIncrement(), 4));
    return wait.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : wait;
  }
}
