package dev.pawl.engine;

import dev.pawl.DistributedLock;
import dev.pawl.DistributedReadWriteLock;
import dev.pawl.DistributedSemaphore;
import dev.pawl.Election;
import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.LockEvent;
import dev.pawl.LockGroup;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.jobs.NodeElection;
import dev.pawl.engine.jobs.NodeJob;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.NodeCounts;
import dev.pawl.engine.locks.NodeLock;
import dev.pawl.engine.locks.NodeLockGroup;
import dev.pawl.engine.locks.NodeReadWriteLock;
import dev.pawl.engine.locks.NodeSemaphore;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A node as its user sees it: checks what is asked for, and hands out locks. */
final class Node implements Pawl {

  private final Engine engine;
  private final boolean ownsStore;
  private final LockOptions defaults;
  private final Set<Capability> capabilities;
  private final AtomicBoolean closing = new AtomicBoolean();

  Node(Engine engine, boolean ownsStore, LockOptions defaults) {
    this.engine = engine;
    this.ownsStore = ownsStore;
    this.defaults = defaults;
    this.capabilities = Set.copyOf(engine.store().capabilities());
  }

  @Override
  public String nodeId() {
    return engine.node();
  }

  @Override
  public String label() {
    return engine.label();
  }

  @Override
  public Store store() {
    return engine.store();
  }

  @Override
  public DistributedLock lock(String name) {
    return lock(name, defaults);
  }

  @Override
  public DistributedLock lock(String name, LockOptions options) {
    check(name, options);
    return new NodeLock(engine, Request.exclusive(name, options));
  }

  @Override
  public DistributedReadWriteLock readWriteLock(String name) {
    return readWriteLock(name, defaults);
  }

  @Override
  public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
    check(name, options);
    require(Capability.SHARED);
    return new NodeReadWriteLock(
        name,
        new NodeLock(engine, Request.shared(name, options)),
        new NodeLock(engine, Request.exclusive(name, options)));
  }

  @Override
  public DistributedSemaphore semaphore(String name, int capacity) {
    return semaphore(name, capacity, defaults);
  }

  @Override
  public DistributedSemaphore semaphore(String name, int capacity, LockOptions options) {
    check(name, options);
    if (capacity < 1 || capacity >= Command.EVERYTHING) {
      throw new IllegalArgumentException(
          "capacity is " + capacity + "; allowed is 1 to " + (Command.EVERYTHING - 1));
    }
    require(Capability.SEMAPHORE);
    return new NodeSemaphore(engine, name, capacity, options);
  }

  @Override
  public LockGroup allOf(Collection<String> names) {
    return allOf(names, defaults);
  }

  @Override
  public LockGroup allOf(Collection<String> names, LockOptions options) {
    Objects.requireNonNull(names, "names").forEach(name -> check(name, options));
    return new NodeLockGroup(engine, names, options);
  }

  @Override
  public Job job(String name) {
    return job(name, defaults);
  }

  @Override
  public Job job(String name, LockOptions options) {
    checkPrefixed(Job.PREFIX, name, options);
    require(Capability.MARKS);
    return new NodeJob(engine, name, options, () -> require(Capability.INSPECT));
  }

  @Override
  public Election election(String name) {
    return election(name, defaults);
  }

  @Override
  public Election election(String name, LockOptions options) {
    checkPrefixed(Election.PREFIX, name, options);
    return new NodeElection(engine, name, options);
  }

  @Override
  public Inspector inspector() {
    requireOpen();
    require(Capability.INSPECT);
    return new NodeInspector(
        engine,
        () -> require(Capability.EVICT),
        () -> require(Capability.MARKS),
        () -> require(Capability.REGISTERS));
  }

  @Override
  public Runnable listen(Consumer<? super LockEvent> listener) {
    requireOpen();
    return engine.events().listen(Objects.requireNonNull(listener, "listener"));
  }

  @Override
  public Runnable monitor(Monitor monitor) {
    requireOpen();
    return engine.events().monitors().add(Objects.requireNonNull(monitor, "monitor"));
  }

  @Override
  public Counts counts() {
    return new NodeCounts(engine);
  }

  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      return; // The first needs the store until it has released everything.
    }
    engine.close();
    if (ownsStore) {
      engine.store().close();
    }
  }

  private void check(String name, LockOptions options) {
    requireOpen();
    Names.check(name);
    Objects.requireNonNull(options, "options");
    if (options.fair() && !capabilities.contains(Capability.FAIR)) {
      throw unsupported(Capability.FAIR, ", or ask for it with fair = false");
    }
  }

  /** A name that is told apart by a prefix is a name itself, and so is the whole. */
  private void checkPrefixed(String prefix, String name, LockOptions options) {
    Names.check(name);
    check(prefix + name, options);
  }

  private void requireOpen() {
    if (engine.isClosed()) {
      throw engine.closedException();
    }
  }

  private void require(Capability capability) {
    if (!capabilities.contains(capability)) {
      throw unsupported(capability, "");
    }
  }

  private UnsupportedByStoreException unsupported(Capability capability, String instead) {
    return new UnsupportedByStoreException(
        engine.store().describe()
            + " cannot do "
            + capability.what()
            + "; use a store that can ("
            + capability.where()
            + ")"
            + instead);
  }

  @Override
  public String toString() {
    return "Pawl " + engine.label() + " on " + engine.store().describe();
  }
}
