package dev.pawl.engine.locks;

import dev.pawl.DeadlockException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.claims.Claim;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Names;
import dev.pawl.spi.Contention;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The words for calls that do not get their lease: who has it, or what is wrong with the store. */
final class Refusals {

  private Refusals() {}

  /**
   * A call that ends because somebody else has the name.
   *
   * @param held the claim by which this node holds the name, if no other could
   * @param asked the claim by which it asks or waits
   * @param line how many callers of this node wait
   */
  static CallResult.Refused refused(
      Engine engine,
      Caller caller,
      @Nullable LocalClaim held,
      @Nullable LocalClaim asked,
      int line) {
    HeldLease lease = held == null ? null : held.lease;
    Contention contention = asked == null ? null : asked.contention();
    long now = engine.now();
    Supplier<String> why =
        lease != null
            ? heldHere(engine, caller, lease, line)
            : held != null
                ? keptHere(engine, caller, held.wakeNanos() - now)
                : heldElsewhere(
                    engine, caller, contention, asked == null ? 0 : asked.silenceNanos(now));
    return new CallResult.Refused(why, contention);
  }

  private static Supplier<String> heldHere(Engine engine, Caller caller, HeldLease held, int line) {
    Thread owner = held.owner;
    long heldNanos = engine.now() - held.sinceNanos;
    Duration left = held.remaining();
    Duration waited = waited(engine, caller);
    return () ->
        start(caller, waited)
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

  private static Supplier<String> keptHere(Engine engine, Caller caller, long leftNanos) {
    Duration waited = waited(engine, caller);
    return () ->
        start(caller, waited)
            + "this node ("
            + engine.label()
            + ") has closed it, and keeps it for another "
            + text(Math.max(0, leftNanos));
  }

  private static Supplier<String> heldElsewhere(
      Engine engine, Caller caller, @Nullable Contention contention, long ageNanos) {
    Duration waited = waited(engine, caller);
    if (contention == null || contention.holders() == 0) {
      int ahead = contention == null ? 0 : contention.ahead();
      return () ->
          start(caller, waited)
              + (contention == null
                  ? "another thread of this node is asking for it"
                  : "nobody holds it, but " + ahead + " wait ahead");
    }
    long heldNanos = (contention.nowMicros() - contention.sinceMicros()) * 1_000 + ageNanos;
    long leftNanos = (contention.untilMicros() - contention.nowMicros()) * 1_000 - ageNanos;
    return () ->
        start(caller, waited)
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
  static CallResult failure(Engine engine, Caller caller, Claim claim, @Nullable Throwable error) {
    Duration waited = waited(engine, caller);
    String what = start(caller, waited);
    if (error != null && !Failures.isOfTheStore(error)) {
      String lock = "lock " + Names.quote(caller.request.name());
      return CallResult.Failed.with(() -> Failures.unexpected(lock, error));
    }
    Throwable cause = error == null ? null : Failures.unwrap(error);
    String store = engine.store().describe();
    long silence = claim.silenceNanos(engine.now());
    return claim.isAnswerOutstanding()
        ? CallResult.Failed.with(
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
        : CallResult.Failed.with(
            () ->
                new StoreUnavailableException(
                    what
                        + (cause == null
                            ? store + " has not answered for " + text(silence)
                            : named(store, cause) + " (tried for " + text(silence) + ")"),
                    cause));
  }

  /** What the store has failed with; most say themselves which store it is. */
  private static String named(String store, Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return message.contains(store) ? message : store + ": " + message;
  }

  static DeadlockException waitsForItself(HeldLease held) {
    return new DeadlockException(
        "thread "
            + Thread.currentThread().getName()
            + " would wait for itself: it took "
            + held
            + " and has not closed it. A lease is not reentrant (lock() and unlock() are), and one to"
            + " read does not become one to write: close it before, or use acquireAsync() if another"
            + " thread closes it");
  }

  private static String start(Caller caller, Duration waited) {
    return "lock "
        + Names.quote(caller.request.name())
        + (caller.isImmediate()
            ? " not acquired: "
            : " not acquired in " + text(waited.toNanos()) + ": ");
  }

  private static Duration waited(Engine engine, Caller caller) {
    return Duration.ofNanos(engine.now() - caller.startedNanos);
  }

  static String text(long nanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    return millis < 10_000 ? millis + " ms" : millis / 1_000 + " s";
  }
}
