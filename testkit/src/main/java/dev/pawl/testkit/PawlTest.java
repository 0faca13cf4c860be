package dev.pawl.testkit;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A store in memory whose leases a test can take away, to see what one's own code does then.
 *
 * <pre>{@code
 * PawlTest store = new PawlTest();
 * Pawl pawl = Pawl.builder(store).build();
 * }</pre>
 *
 * <p>In Spring it is a bean of the test, and {@code pawl.store} is left out. Names are those of
 * locks; that of a job is {@code job:NAME}. A name may have one holder.
 */
public final class PawlTest extends ForwardingStore {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Set<String> quiet = ConcurrentHashMap.newKeySet();
  private final Pawl thief;
  private volatile boolean frozen;

  /** Opens an empty store. */
  public PawlTest() {
    this(new MemoryStore());
  }

  private PawlTest(LockStore memory) {
    super(memory);
    // Beside this store: what is frozen are the nodes of the application.
    thief = Pawl.builder(memory).label("test").build();
  }

  /**
   * Stops the heartbeat of every node, as a long pause of its process or a cut network does: leases
   * are not renewed any more, and expire.
   */
  public void freeze() {
    frozen = true;
  }

  /** Lets heartbeats pass again: a lease that has expired meanwhile is found lost. */
  public void thaw() {
    frozen = false;
  }

  /**
   * Ends the lease of a name at the store, and tells nobody. The next in the queue has it at once;
   * its former holder believes in it until its next heartbeat, or until it asks the store ({@link
   * Lease#confirm}). While it is {@linkplain #freeze frozen} it believes in it until its lease is
   * over: two at work, the case that a fence is for.
   *
   * @return the token of the lease that has ended
   * @throws IllegalStateException if nobody holds the name
   */
  public long expire(String name) {
    LockInfo.Holder holder = holder(name);
    String claim = holder.claim();
    quiet.add(claim);
    try {
      EvictReply reply = Replies.of(evict(new Command.Evict(name, holder.token())));
      if (reply instanceof EvictReply.Changed) {
        throw new IllegalStateException("\"" + name + "\" has another holder meanwhile");
      }
      return holder.token();
    } finally {
      quiet.remove(claim);
    }
  }

  /**
   * Takes the lease of a name away from its holder, who is told at once, as by a forced release of
   * an operator, and returns the lease of the one who has it now: the test. Others who wait in the
   * queue have it before.
   *
   * @return a lease with a greater token; close it to give the name back
   * @throws IllegalStateException if nobody holds the name
   * @throws dev.pawl.LockTimeoutException if those who waited before do not release it in 10 s
   */
  public Lease steal(String name) {
    // In a thread of its own: this one may be that of the holder, which the loss interrupts, and
    // those of the common pool may be busy with the work that is to lose its lease.
    try {
      return CompletableFuture.supplyAsync(() -> release(name), PawlTest::onThread)
          .thenCompose(released -> thief.lock(name).acquireAsync(PATIENCE))
          .join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  private static void onThread(Runnable task) {
    Thread thread = new Thread(task, "pawl-test-thief");
    thread.setDaemon(true);
    thread.start();
  }

  private boolean release(String name) {
    if (!thief.inspector().forceRelease(name, holder(name).token(), "test", "stolen")) {
      throw new IllegalStateException("\"" + name + "\" has another holder meanwhile");
    }
    return true;
  }

  private LockInfo.Holder holder(String name) {
    List<LockInfo.Holder> holders =
        thief.inspector().find(name).map(LockInfo::holders).orElse(List.of());
    if (holders.size() != 1) {
      throw new IllegalStateException(
          "\"" + name + "\" has " + holders.size() + " holders, where one is needed");
    }
    return holders.get(0);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return super.subscribe(
        node,
        signal -> {
          if (!(signal instanceof Signal.Evicted evicted
              && quiet.contains(evicted.claim().toString()))) {
            listener.accept(signal);
          }
        });
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return frozen ? new CompletableFuture<>() : super.renew(commands);
  }

  @Override
  public void close() {
    thief.close();
    super.close();
  }
}
