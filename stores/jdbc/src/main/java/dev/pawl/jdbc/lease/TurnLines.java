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
  private final Map<String, ArrayDeque<Turn<?>>> lines;

  TurnLines() {
    this(new HashMap<>());
  }

  TurnLines(Map<String, ArrayDeque<Turn<?>>> lines) {
    this.lines = lines;
  }

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
    private @Nullable Throwable failure;

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
      boolean done = taken.join();
      if (failure instanceof RuntimeException known) {
        throw known;
      }
      if (failure != null) {
        throw new CompletionException(failure);
      }
      return done;
    }

    /** Ends its wait; in a way that needs no memory, of which there may be none (I8). */
    private void end(@Nullable Throwable why) {
      failure = why;
      taken.complete(true);
    }
  }

  /** Takes a turn, or has it taken; fails as whoever took it did. */
  void take(String name, Turn<?> mine, Leader leader) {
    boolean first = join(name, mine);
    if (!first && mine.awaitTaken()) {
      return;
    }
    List<Turn<?>> turns = List.of();
    try {
      turns = next(name, mine);
      leader.take(turns, first);
      end(turns, null);
    } catch (Throwable e) { // I8: whatever it is, those behind it wait for nobody else.
      end(turns, e);
      throw e;
    } finally {
      passOn(name);
    }
  }

  private static void end(List<Turn<?>> turns, @Nullable Throwable failure) {
    for (int i = 0; i < turns.size(); i++) {
      turns.get(i).end(failure);
    }
  }

  /** Returns how many stand in line for a name. */
  int waiting(String name) {
    lock.lock();
    try {
      ArrayDeque<Turn<?>> line = lines.get(name);
      return line == null ? 0 : line.size();
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
    lock.lock();
    try {
      ArrayDeque<Turn<?>> line = lines.get(name);
      int others = line == null ? 0 : Math.min(line.size(), MOST_TOGETHER - 1);
      // All of its memory before anybody leaves the line: nobody is in neither.
      List<Turn<?>> turns = new ArrayList<>(1 + others);
      turns.add(mine);
      for (int i = 0; line != null && i < others; i++) {
        turns.add(line.remove());
      }
      return turns;
    } finally {
      lock.unlock();
    }
  }

  private void passOn(String name) {
    Turn<?> next;
    lock.lock();
    try {
      ArrayDeque<Turn<?>> line = lines.get(name);
      next = line == null ? null : line.poll();
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
