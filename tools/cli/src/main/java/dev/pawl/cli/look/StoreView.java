package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairedStore;
import dev.pawl.spi.Register;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An open store as these commands see it: what it knows, and what its clock shows. */
final class StoreView implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 3;
  private static final int MOST_NAME_BYTES = 255;

  private final Pawl pawl;

  private StoreView(Pawl pawl) {
    this.pawl = pawl;
  }

  static StoreView open(StoreOption option) {
    return new StoreView(option.look("pawl"));
  }

  /** Opens the primary of a pair alone. */
  static StoreView openPrimary(StoreOption option) {
    return new StoreView(option.lookAt(StoreOption.Part.PRIMARY, "pawl"));
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

  /**
   * Returns the name of the lock of a job, where nobody has ever used that one and a job has it.
   */
  Optional<String> jobInstead(String name) {
    // A longer name is that of a lock alone: with the prefix of jobs it would be none.
    int bytes = (Job.PREFIX + name).getBytes(StandardCharsets.UTF_8).length;
    return !name.startsWith(Job.PREFIX)
            && bytes <= MOST_NAME_BYTES
            && inspector().find(name).filter(lock -> lock.token() != 0).isEmpty()
            && inspector().find(Job.PREFIX + name).isPresent()
        ? Optional.of(Job.PREFIX + name)
        : Optional.empty();
  }

  /** Returns the store's URL without secrets. */
  String describe() {
    return pawl.store().describe();
  }

  /** Returns the store if it is one of two. */
  Optional<PairedStore> pair() {
    return pawl.store() instanceof PairedStore pair ? Optional.of(pair) : Optional.empty();
  }

  /** Takes the sign away that a pair has left in its primary, and writes it to the journal. */
  void removeSign(String by, String reason) {
    LockStore store = (LockStore) pawl.store();
    Register sign = answer(store.registers().read(PairedStore.SIGN), "whether it is of a pair");
    if (sign.value().isPresent()) {
      answer(store.registers().compareAndSet(sign, Optional.empty()), "whether it is of a pair");
      answer(
          store
              .journal()
              .append(
                  JournalEntry.Kind.MODE_CHANGED,
                  PairedStore.SIGN,
                  0,
                  pawl.label(),
                  Map.of("mode", "dissolved", "by", by, "reason", reason)),
          "whether it has written that down");
    }
  }

  /** Returns the mode of a pair in a line; empty where all is as usual, or the store is no pair. */
  String mode() {
    return pair()
        .map(pair -> answer(pair.status(), "how the pair stands"))
        .filter(status -> status.mode() != PairStatus.Mode.PRIMARY)
        .map(ModeWords::line)
        .orElse("");
  }

  /** Returns what the store's clock shows; that of this host may be minutes off. */
  Now now() {
    long micros = answer(((LockStore) pawl.store()).nowMicros(), "what its clock shows");
    return new Now(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }

  /** Waits for an answer of the store, but not for long. */
  static <T> T answer(CompletionStage<T> stage, String what) {
    try {
      return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException(what, e.getCause());
    } catch (TimeoutException e) {
      throw new OutcomeUnknownException("the store does not say " + what, e);
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
