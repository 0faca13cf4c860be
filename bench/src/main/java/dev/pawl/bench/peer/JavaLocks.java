package dev.pawl.bench.peer;

import dev.pawl.bench.contest.Competitor;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

/** A peer whose locks are a {@link Lock} for each name, owned by the thread. */
public final class JavaLocks implements Competitor {

  private final Function<String, ? extends Lock> locks;
  private final Runnable end;

  /** Takes locks from a function; {@code end} closes what is behind it. */
  public JavaLocks(Function<String, ? extends Lock> locks, Runnable end) {
    this.locks = locks;
    this.end = end;
  }

  @Override
  @SuppressWarnings("LockNotBeforeTry") // Freed by whoever gets the hold.
  public Hold acquire(String name) {
    Lock lock = locks.apply(name);
    lock.lock();
    return lock::unlock;
  }

  @Override
  public Optional<Hold> tryAcquire(String name) {
    Lock lock = locks.apply(name);
    return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
  }

  @Override
  public void close() {
    end.run();
  }
}
