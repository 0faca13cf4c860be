package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An open store as these commands see it: what it knows, and what its clock shows. */
final class StoreView implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 3;

  private final Pawl pawl;

  private StoreView(Pawl pawl) {
    this.pawl = pawl;
  }

  static StoreView open(StoreOption option) {
    return new StoreView(option.look("pawl"));
  }

  Inspector inspector() {
    return pawl.inspector();
  }

  /** Returns that there is no such store yet, where that is so: its name may be misspelt. */
  Optional<String> absence() {
    return pawl.store() instanceof AbsentStore absent
        ? Optional.of(absent.describe() + " is not there yet: nobody has taken a lock in it")
        : Optional.empty();
  }

  /** Returns the store's URL without secrets. */
  String describe() {
    return pawl.store().describe();
  }

  /** Returns what the store's clock shows; that of this host may be minutes off. */
  Now now() {
    LockStore store = (LockStore) pawl.store();
    try {
      long micros = store.nowMicros().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return new Now(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof PawlException known) {
        throw known;
      }
      throw new IllegalStateException("the store's clock", e.getCause());
    } catch (TimeoutException e) {
      throw new OutcomeUnknownException("the store does not say what its clock shows", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    pawl.close();
  }

  /** A moment of the store's clock, from which others are counted. */
  record Now(Instant time) {

    /** Returns how long ago something was; never negative, as the clock may have been set back. */
    Duration since(Instant then) {
      Duration age = Duration.between(then, time);
      return age.isNegative() ? Duration.ZERO : age;
    }

    /** Returns how far something is in the future; zero if it is not. */
    Duration until(Instant then) {
      Duration left = Duration.between(time, then);
      return left.isNegative() ? Duration.ZERO : left;
    }

    /** Returns such as {@code 4.2s ago}. */
    String ago(Instant then) {
      return Durations.format(since(then)) + " ago";
    }
  }
}
