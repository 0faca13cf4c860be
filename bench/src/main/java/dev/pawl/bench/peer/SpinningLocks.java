package dev.pawl.bench.peer;

import dev.pawl.bench.contest.Competitor;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The bare commands of a driver: who is refused asks again at once. */
public abstract class SpinningLocks implements Competitor {

  private static final AtomicLong OWNERS = new AtomicLong();

  /** For subclasses. */
  protected SpinningLocks() {}

  /** Takes the name for an owner if it is free now. */
  protected abstract boolean take(String name, String owner) throws Exception;

  /** Frees the name if it is that owner's. */
  protected abstract void free(String name, String owner) throws Exception;

  @Override
  public final Hold acquire(String name) throws Exception {
    String owner = newOwner();
    while (!take(name, owner)) {
      Thread.onSpinWait();
    }
    return () -> free(name, owner);
  }

  @Override
  public final Optional<Hold> tryAcquire(String name) throws Exception {
    String owner = newOwner();
    return take(name, owner) ? Optional.of(() -> free(name, owner)) : Optional.empty();
  }

  private static String newOwner() {
    return ProcessHandle.current().pid() + "/" + OWNERS.incrementAndGet();
  }
}
