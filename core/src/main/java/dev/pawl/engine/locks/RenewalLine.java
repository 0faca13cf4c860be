package dev.pawl.engine.locks;

import dev.pawl.engine.link.Failures;
import dev.pawl.spi.LockStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of one shard, of which only so many are under way at a time. More would wait in the
 * store, and a store that is slow would find their timeouts over before it came to them, and their
 * repetitions behind them.
 */
final class RenewalLine {

  private static final int MOST_CLAIMS_UNDER_WAY = 4 * LockStore.MOST_RENEWALS;

  private final Engine engine;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<RenewalCall> waiting = new ArrayDeque<>();
  private final List<RenewalCall> underWay = new ArrayList<>();

  /** Whether a thread is sending: an answer that comes meanwhile is seen by it. */
  private boolean sending;

  RenewalLine(Engine engine) {
    this.engine = engine;
  }

  void add(List<RenewalCall> calls) {
    lock.lock();
    try {
      waiting.addAll(calls);
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether it has nothing to do; only who adds to it may give it up then. */
  boolean isIdle() {
    lock.lock();
    try {
      return !sending && waiting.isEmpty() && underWay.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Sends what may be sent. */
  void advance() {
    if (!begin()) {
      return;
    }
    try {
      for (RenewalCall call = next(); call != null; call = next()) {
        send(call);
      }
    } catch (Error e) {
      end(); // The next who comes tries again.
      throw e;
    }
  }

  private void send(RenewalCall call) {
    engine
        .link()
        .whenDone(
            engine.link().renew(store -> call.send(store, engine.now())),
            (replies, error) -> {
              List<RenewalCall> halves =
                  error == null || Failures.isOfTheStore(error) ? List.of() : call.halves();
              if (halves.isEmpty()) {
                call.onReplies(replies, error);
              } else {
                add(halves); // One name that the store cannot read costs the others nothing.
              }
              onAnswered(call);
            });
  }

  private void onAnswered(RenewalCall call) {
    lock.lock();
    try {
      underWay.remove(call);
    } finally {
      lock.unlock();
    }
    advance();
  }

  private boolean begin() {
    lock.lock();
    try {
      boolean mine = !sending;
      sending = true;
      return mine;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      sending = false;
    } finally {
      lock.unlock();
    }
  }

  private @Nullable RenewalCall next() {
    lock.lock();
    try {
      RenewalCall call = waiting.peek();
      if (call == null || !isRoomFor(call)) {
        sending = false;
        return null;
      }
      underWay.add(call);
      return waiting.remove();
    } finally {
      lock.unlock();
    }
  }

  private boolean isRoomFor(RenewalCall call) {
    // One that has no answer by now may never get one, and its claims are asked for again.
    long late = engine.now() - engine.link().pace().attemptNanos();
    underWay.removeIf(each -> each.sentNanos() - late < 0);
    int claims = underWay.stream().mapToInt(RenewalCall::size).sum();
    return claims + call.size() <= MOST_CLAIMS_UNDER_WAY;
  }
}
