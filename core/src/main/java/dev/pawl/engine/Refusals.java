package dev.pawl.engine;

import dev.pawl.DeadlockException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Contention;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The words for calls that do not get their lease: who has it, or what is wrong with the store. */
final class Refusals {

  private Refusals() {}

  static Supplier<String> heldHere(Engine engine, Waiter waiter, HeldLease held, int line) {
    Thread owner = held.owner;
    long heldNanos = engine.now() - held.sinceNanos;
    Duration left = held.remaining();
    Duration waited = waited(engine, waiter);
    return () ->
        start(waiter, waited)
            + "it is held by this node ("
            + engine.label()
            + (owner == null ? "" : ", thread " + owner.getName())
            + ") for "
            + text(heldNanos)
            + ", its lease has "
            + text(left.toNanos())
            + " left, and "
            + line
            + " more of this node wait";
  }

  static Supplier<String> keptHere(Engine engine, Waiter waiter, long leftNanos) {
    Duration waited = waited(engine, waiter);
    return () ->
        start(waiter, waited)
            + "this node ("
            + engine.label()
            + ") has closed it, and keeps it for another "
            + text(Math.max(0, leftNanos));
  }

  static Supplier<String> heldElsewhere(
      Engine engine, Waiter waiter, @Nullable Contention contention, long ageNanos) {
    Duration waited = waited(engine, waiter);
    if (contention == null || contention.holders() == 0) {
      int ahead = contention == null ? 0 : contention.ahead();
      return () ->
          start(waiter, waited)
              + (contention == null
                  ? "another thread of this node is asking for it"
                  : "nobody holds it, but " + ahead + " wait ahead");
    }
    long heldNanos = (contention.nowMicros() - contention.sinceMicros()) * 1_000 + ageNanos;
    long leftNanos = (contention.untilMicros() - contention.nowMicros()) * 1_000 - ageNanos;
    return () ->
        start(waiter, waited)
            + "it is held by "
            + contention.holder()
            + (contention.holders() > 1 ? " and " + (contention.holders() - 1) + " more" : "")
            + " for "
            + text(heldNanos)
            + ", its lease has "
            + text(Math.max(0, leftNanos))
            + " left, and "
            + contention.ahead()
            + " wait ahead";
  }

  /** A call that ends because the store is silent or failed: nobody knows who holds the name. */
  static Outcome failure(Engine engine, Waiter waiter, Claim claim, @Nullable Throwable error) {
    Duration waited = waited(engine, waiter);
    String what = start(waiter, waited);
    if (error != null && !Failures.isOfTheStore(error)) {
      return Outcome.Failed.with(() -> Failures.unexpected(what, error));
    }
    Throwable cause = error == null ? null : Failures.unwrap(error);
    String store = engine.store().describe();
    long silence = claim.silenceNanos(engine.now());
    return claim.isAnswerOutstanding()
        ? Outcome.Failed.with(
            () ->
                new OutcomeUnknownException(
                    what
                        + "no answer from "
                        + store
                        + "; claim "
                        + claim.id
                        + " may hold it until its lease of "
                        + text(claim.request.leaseMicros() * 1_000)
                        + " ends, and is being given up in the background",
                    cause))
        : Outcome.Failed.with(
            () ->
                new StoreUnavailableException(
                    what
                        + store
                        + " has not answered for "
                        + text(silence)
                        + (cause == null ? "" : ": " + cause.getMessage()),
                    cause));
  }

  static DeadlockException waitsForItself(HeldLease held) {
    return new DeadlockException(
        "thread "
            + Thread.currentThread().getName()
            + " would wait for itself: it took "
            + held
            + " and has not closed it. A lease is not reentrant: use lock() and unlock() for that,"
            + " or acquireAsync() for a lease that another thread closes");
  }

  private static String start(Waiter waiter, Duration waited) {
    return "lock "
        + Names.quote(waiter.request.name())
        + (waiter.isImmediate()
            ? " not acquired: "
            : " not acquired in " + text(waited.toNanos()) + ": ");
  }

  private static Duration waited(Engine engine, Waiter waiter) {
    return Duration.ofNanos(engine.now() - waiter.startedNanos);
  }

  static String text(long nanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    return millis < 10_000 ? millis + " ms" : millis / 1_000 + " s";
  }
}
