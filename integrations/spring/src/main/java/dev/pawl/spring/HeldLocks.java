package dev.pawl.spring;

import dev.pawl.Job;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What a thread holds by {@link Locked} and {@link OncePerTick}: for calls inside of calls, and for
 * the transactions that commit under it.
 */
final class HeldLocks {

  /** How a name is held. */
  enum Kind {
    EXCLUSIVE,
    SHARED,
    PERMITS
  }

  private static final ThreadLocal<@Nullable HeldLocks> OF_THREAD = new ThreadLocal<>();

  // Appended by its thread; a transaction may complete, and so remove, on another.
  private final List<Held> locks = new CopyOnWriteArrayList<>();

  private HeldLocks() {}

  /** Something that is held, and must still be when a transaction commits. */
  interface Held {

    /** Returns the name in the store, which is the resource of the fence too. */
    String name();

    long token();

    Kind kind();

    /** Returns who holds the lease, of a lock. */
    Optional<Hold> lock();

    /** Throws if it is lost. */
    void check();

    /** Set while a transaction is open in which the fence has admitted the token. */
    AtomicBoolean admitted();
  }

  record HeldLock(
      String name, Kind kind, Hold held, BeforeCommit beforeCommit, AtomicBoolean admitted)
      implements Held {

    HeldLock(String name, Kind kind, Hold held, BeforeCommit beforeCommit) {
      this(name, kind, held, beforeCommit, new AtomicBoolean());
    }

    @Override
    public long token() {
      return held.lease().token();
    }

    @Override
    public Optional<Hold> lock() {
      return Optional.of(held);
    }

    @Override
    public void check() {
      if (beforeCommit == BeforeCommit.STORE) {
        held.lease().confirm();
      } else {
        held.lease().ensureHeld();
      }
    }
  }

  record HeldRun(Job.Run run, BeforeCommit beforeCommit, AtomicBoolean admitted) implements Held {

    HeldRun(Job.Run run, BeforeCommit beforeCommit) {
      this(run, beforeCommit, new AtomicBoolean());
    }

    @Override
    public String name() {
      return Job.PREFIX + run.job();
    }

    @Override
    public long token() {
      return run.token();
    }

    @Override
    public Kind kind() {
      return Kind.EXCLUSIVE;
    }

    @Override
    public Optional<Hold> lock() {
      return Optional.empty();
    }

    @Override
    public void check() {
      if (beforeCommit == BeforeCommit.STORE) {
        run.confirm();
      } else {
        run.ensureHeld();
      }
    }
  }

  /** Adds a lock to those of this thread, and returns what takes it off again, on any thread. */
  static Runnable add(Held held) {
    HeldLocks current = OF_THREAD.get();
    if (current == null) {
      current = new HeldLocks();
      OF_THREAD.set(current);
    }
    HeldLocks ofThread = current;
    ofThread.locks.add(held);
    return () -> {
      ofThread.locks.remove(held);
      if (ofThread.locks.isEmpty() && OF_THREAD.get() == ofThread) {
        OF_THREAD.remove();
      }
    };
  }

  /** Returns all that this thread holds. */
  static List<Held> all() {
    HeldLocks current = OF_THREAD.get();
    return current == null ? List.of() : List.copyOf(current.locks);
  }

  /** Returns the lock of this thread that a call for that name is part of. */
  static Optional<Hold> covering(String name, Kind kind) {
    if (kind == Kind.PERMITS) {
      return Optional.empty();
    }
    return all().stream()
        .filter(each -> each.name().equals(name))
        .filter(each -> each.kind() == Kind.EXCLUSIVE || each.kind() == kind)
        .flatMap(each -> each.lock().stream())
        .findFirst();
  }
}
