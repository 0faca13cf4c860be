package dev.pawl.jdbc.lease;

import dev.pawl.jdbc.lease.LeaseTurns.Rule;
import dev.pawl.spi.ClaimId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one store, by name. One thread at a time leads in a name: it takes its own turn and
 * those of everybody who came while the one before was under way. The others wait without a
 * connection, so that a crowd at one name takes none from other names, nor from renewals.
 */
final class TurnLines {

  /** How many turns are taken together at most, so that nobody's answer waits for too many. */
  private static final int MOST_TOGETHER = 250;

  private final ReentrantLock lock = new ReentrantLock();

  /** Who waits in a name in which somebody leads; a name nobody is at has no line. */
  private final Map<String, ArrayDeque<Turn<?>>> lines = new HashMap<>();

  /** Takes turns, and answers those that it could take. */
  @FunctionalInterface
  interface Leader {
    /**
     * Takes them, in their order.
     *
     * @param first whether nobody has led since the first of them came
     */
    void take(List<Turn<?>> turns, boolean first);
  }

  /** A turn that somebody wants to take, and its answer. */
  static final class Turn<R> {
    private final Rule<R> rule;
    private final @Nullable ClaimId asking;

    /** True when it has been taken, false when its own thread is to lead. */
    private final CompletableFuture<Boolean> taken = new CompletableFuture<>();

    private @Nullable Object reply;

    Turn(Rule<R> rule, @Nullable ClaimId asking) {
      this.rule = rule;
      this.asking = asking;
    }

    Rule<R> rule() {
      return rule;
    }

    @Nullable ClaimId asking() {
      return asking;
    }

    void answer(Object answer) {
      reply = answer;
    }

    @SuppressWarnings("unchecked") // It is what its own rule has replied.
    Optional<R> reply() {
      return Optional.ofNullable((R) reply);
    }

    private boolean awaitTaken() {
      try {
        return taken.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof RuntimeException failure) {
          throw failure;
        }
        throw e;
      }
    }
  }

  /** Takes a turn, or has it taken; fails as whoever took it did. */
  void take(String name, Turn<?> mine, Leader leader) {
    boolean first = join(name, mine);
    if (!first && mine.awaitTaken()) {
      return;
    }
    List<Turn<?>> turns = next(name, mine);
    try {
      leader.take(turns, first);
      turns.forEach(turn -> turn.taken.complete(true));
    } catch (Throwable e) {
      turns.forEach(turn -> turn.taken.completeExceptionally(e));
      throw e;
    } finally {
      passOn(name);
    }
  }

  /** Returns how many stand in line for a name. */
  int waiting(String name) {
    lock.lock();
    try {
      return lines.getOrDefault(name, new ArrayDeque<>()).size();
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether it is to lead; otherwise it stands in line. */
  private boolean join(String name, Turn<?> mine) {
    lock.lock();
    try {
      ArrayDeque<Turn<?>> line = lines.get(name);
      if (line == null) {
        lines.put(name, new ArrayDeque<>(2));
        return true;
      }
      line.add(mine);
      return false;
    } finally {
      lock.unlock();
    }
  }

  private List<Turn<?>> next(String name, Turn<?> mine) {
    List<Turn<?>> turns = new ArrayList<>();
    turns.add(mine);
    lock.lock();
    try {
      ArrayDeque<Turn<?>> line = lines.getOrDefault(name, new ArrayDeque<>());
      while (!line.isEmpty() && turns.size() < MOST_TOGETHER) {
        turns.add(line.remove());
      }
    } finally {
      lock.unlock();
    }
    return turns;
  }

  private void passOn(String name) {
    Turn<?> next;
    lock.lock();
    try {
      next = lines.getOrDefault(name, new ArrayDeque<>()).poll();
      if (next == null) {
        lines.remove(name);
      }
    } finally {
      lock.unlock();
    }
    if (next != null) {
      next.taken.complete(false);
    }
  }
}
