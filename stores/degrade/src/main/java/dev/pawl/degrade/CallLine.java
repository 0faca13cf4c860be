package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls to a store of which only so many are under way at a time. The others wait, those that
 * end something before all that begin something.
 */
final class CallLine {

  /** A call that is not answered by then no longer counts as under way. */
  private static final long LONGEST_CALL_NANOS = 10_000_000_000L;

  /**
   * A call that has waited for its turn for so long is not sent: whoever made it has given it up,
   * and if all were sent so late, none would be answered in time.
   */
  private static final long LONGEST_WAIT_NANOS = 2_000_000_000L;

  /** A call that waits for its turn, or is under way. */
  private static final class Call<T> {
    final Supplier<CompletionStage<T>> command;
    final CompletableFuture<T> answer = new CompletableFuture<>();

    /** Since when it waits, and from then on, since when it is under way. */
    long sinceNanos;

    Call(Supplier<CompletionStage<T>> command) {
      this.command = command;
    }
  }

  private final Surroundings world;
  private final int most;
  private final String refusal;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Call<?>> waiting = new LinkedHashMap<>();

  /** Those that end something: they go first, and do not expire. */
  private final Map<Object, Call<?>> waitingToEnd = new LinkedHashMap<>();

  /** Those that were sent, the oldest first. */
  private final Set<Call<?>> underWay = new LinkedHashSet<>();

  /** Whether a thread sends what has waited: an answer that comes meanwhile is seen by it. */
  private boolean sending;

  /** Whether a timer is set to look for calls that are not answered. */
  private boolean watched;

  /**
   * Makes it.
   *
   * @param refusal what is said of a call that has waited for too long
   */
  CallLine(Surroundings world, int most, String refusal) {
    this.world = world;
    this.most = most;
    this.refusal = refusal;
  }

  int waiting() {
    lock.lock();
    try {
      return waiting.size() + waitingToEnd.size();
    } finally {
      lock.unlock();
    }
  }

  int underWay() {
    lock.lock();
    try {
      return underWay.size();
    } finally {
      lock.unlock();
    }
  }

  /** Makes a call when fewer are under way than the bound; not at all if that is late. */
  <T> CompletionStage<T> call(Supplier<CompletionStage<T>> command) {
    return add(waiting, new Object(), command);
  }

  /**
   * Makes a call that ends something, before all that begin something.
   *
   * @param what is equal for calls that do the same, of which only one waits
   */
  <T> CompletionStage<T> end(Object what, Supplier<CompletionStage<T>> command) {
    return add(waitingToEnd, what, command);
  }

  private <T> CompletionStage<T> add(
      Map<Object, Call<?>> line, Object what, Supplier<CompletionStage<T>> command) {
    Call<T> call = new Call<>(command);
    boolean begins;
    lock.lock();
    try {
      call.sinceNanos = world.nanos().getAsLong();
      begins = underWay.size() < most && waiting.isEmpty() && waitingToEnd.isEmpty();
      if (begins) {
        underWay.add(call);
      } else {
        Call<?> same = line.putIfAbsent(what, call);
        if (same != null) {
          @SuppressWarnings("unchecked") // It does the same, and is answered in the same way.
          CompletionStage<T> answer = (CompletionStage<T>) same.answer;
          return answer;
        }
      }
    } finally {
      lock.unlock();
    }
    if (begins) {
      send(call);
    } else {
      advance();
      watch();
    }
    return call.answer;
  }

  private <T> void send(Call<T> call) {
    var unused =
        call.command
            .get()
            .whenComplete(
                (value, error) -> {
                  leave(call);
                  if (error == null) {
                    call.answer.complete(value);
                  } else {
                    call.answer.completeExceptionally(error);
                  }
                  advance();
                });
  }

  private void leave(Call<?> call) {
    lock.lock();
    try {
      underWay.remove(call);
    } finally {
      lock.unlock();
    }
  }

  private void expire(Call<?> call) {
    call.answer.completeExceptionally(new StoreUnavailableException(refusal, null));
  }

  /**
   * Sends what may be sent, one after the other: a store that answers at once is not called from
   * within its own answer.
   */
  private void advance() {
    if (!beginSending()) {
      return;
    }
    try {
      for (Runnable step = next(); step != null; step = next()) {
        step.run();
      }
    } catch (RuntimeException | Error e) {
      endSending(); // The next who comes tries again.
      throw e;
    }
  }

  private boolean beginSending() {
    lock.lock();
    try {
      boolean mine = !sending;
      sending = true;
      return mine;
    } finally {
      lock.unlock();
    }
  }

  private void endSending() {
    lock.lock();
    try {
      sending = false;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Runnable next() {
    lock.lock();
    try {
      boolean ends = !waitingToEnd.isEmpty();
      Call<?> call = underWay.size() < most ? first(ends ? waitingToEnd : waiting) : null;
      if (call == null) {
        sending = false;
        return null;
      }
      long now = world.nanos().getAsLong();
      if (!ends && now - call.sinceNanos > LONGEST_WAIT_NANOS) {
        return () -> expire(call);
      }
      call.sinceNanos = now;
      underWay.add(call);
      return () -> send(call);
    } finally {
      lock.unlock();
    }
  }

  private static @Nullable Call<?> first(Map<Object, Call<?>> line) {
    Iterator<Call<?>> calls = line.values().iterator();
    if (!calls.hasNext()) {
      return null;
    }
    Call<?> call = calls.next();
    calls.remove();
    return call;
  }

  /** Has a timer look for calls that are not answered: one for all, while others wait for them. */
  private void watch() {
    long nanos;
    lock.lock();
    try {
      boolean needed = !underWay.isEmpty() && !(waiting.isEmpty() && waitingToEnd.isEmpty());
      if (watched || !needed) {
        return;
      }
      watched = true;
      long old = world.nanos().getAsLong() - underWay.iterator().next().sinceNanos;
      nanos = Math.max(0, LONGEST_CALL_NANOS - old);
    } finally {
      lock.unlock();
    }
    world.timer().in(nanos, this::look);
  }

  private void look() {
    lock.lock();
    try {
      watched = false;
      long now = world.nanos().getAsLong();
      underWay.removeIf(call -> now - call.sinceNanos >= LONGEST_CALL_NANOS);
    } finally {
      lock.unlock();
    }
    advance();
    watch();
  }
}
