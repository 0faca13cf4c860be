package dev.pawl.engine.locks;

import dev.pawl.Lease;
import dev.pawl.LeaseGroup;
import dev.pawl.LockGroup;
import dev.pawl.LockOptions;
import dev.pawl.LockTimeoutException;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Several locks, taken in the order of their bytes under one deadline. */
public final class NodeLockGroup implements LockGroup {

  private final Engine engine;
  private final Calls calls;
  private final List<String> names;
  private final LockOptions options;

  public NodeLockGroup(Engine engine, Collection<String> names, LockOptions options) {
    this.engine = engine;
    this.calls = new Calls(engine);
    this.names = names.stream().distinct().sorted(Names.BY_BYTES).toList();
    this.options = options;
    if (this.names.isEmpty() || this.names.size() != names.size()) {
      throw new IllegalArgumentException(
          "names are " + names + "; allowed are one or more, each once");
    }
  }

  @Override
  public List<String> names() {
    return names;
  }

  @Override
  public LeaseGroup acquire() throws InterruptedException {
    return take(name -> calls.acquire(Request.exclusive(name, options)));
  }

  @Override
  public LeaseGroup acquire(Duration wait) throws InterruptedException {
    long end = engine.now() + Calls.nanos(wait);
    return take(name -> calls.acquire(Request.exclusive(name, options), left(wait, end)));
  }

  @Override
  public Optional<LeaseGroup> tryAcquire() {
    try {
      return Optional.of(take(name -> now(name)));
    } catch (Busy e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      throw new IllegalStateException("now or never is not interruptible", e);
    }
  }

  @Override
  public Optional<LeaseGroup> tryAcquire(Duration wait) throws InterruptedException {
    try {
      return Optional.of(acquire(wait));
    } catch (LockTimeoutException e) {
      return Optional.empty();
    }
  }

  private Duration left(Duration wait, long end) {
    long left = end - engine.now();
    return left > wait.toNanos() ? wait : Duration.ofNanos(Math.max(0, left));
  }

  private Lease now(String name) {
    return calls.tryAcquire(Request.exclusive(name, options)).orElseThrow(Busy::new);
  }

  private LeaseGroup take(Taking taking) throws InterruptedException {
    List<Lease> leases = new ArrayList<>(names.size());
    try {
      for (String name : names) {
        leases.add(taking.take(name));
      }
      NodeLeaseGroup group = new NodeLeaseGroup(leases);
      group.ensureHeld(); // While the last was waited for, the first may have been lost.
      return group;
    } catch (RuntimeException | InterruptedException e) {
      giveBack(leases, e);
      throw e;
    }
  }

  private static void giveBack(List<Lease> leases, Exception why) {
    try {
      new NodeLeaseGroup(leases).close();
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  private interface Taking {
    Lease take(String name) throws InterruptedException;
  }

  /** One of the locks is held by somebody else; never leaves this class. */
  private static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy() {
      super(null, null, false, false);
    }
  }

  @Override
  public String toString() {
    return "all of " + names;
  }
}
