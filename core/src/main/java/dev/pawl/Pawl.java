package dev.pawl;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One node of the cluster: the place to get locks from, connected to one {@link Store}.
 *
 * <p>An application has one, for as long as it runs. It is safe for use by many threads; locks are
 * light handles that may be kept or asked for again. Closing it releases what it holds and refuses
 * what still waits.
 *
 * <pre>{@code
 * try (Pawl pawl = Pawl.connect("memory:")) {
 *   try (Lease lease = pawl.lock("invoice:42").acquire()) {
 *     settle(42, lease.token());
 *   }
 * }
 * }</pre>
 *
 * <p><b>Holding is not forever.</b> A lease ends when it cannot be renewed in time, whatever the
 * thread that works under it is doing. Ask {@link Lease#ensureHeld()} before a step that matters,
 * and let the resource check the {@link Lease#token() token}.
 */
public interface Pawl extends AutoCloseable {

  /**
   * Opens the store at a URL, such as {@code memory:}, and closes it together with the node. An
   * interrupt does not end it: the thread is interrupted still, or again, when this returns or
   * throws.
   *
   * @throws IllegalArgumentException if no module on the class path opens such a URL, or if it is
   *     malformed; the message shows no secret
   * @throws StoreUnavailableException if the store cannot be reached
   */
  static Pawl connect(String url) {
    return builder(url).build();
  }

  /**
   * Starts the configuration of a node on the store at a URL; the node owns the store. The URL is
   * looked at, and the store is opened, by {@link Builder#build}.
   */
  static Builder builder(String url) {
    return Factory.load().builder(url);
  }

  /**
   * Starts the configuration of a node on a store that the caller opened, and will close.
   *
   * @throws IllegalArgumentException if it is no {@code dev.pawl.spi.LockStore}
   */
  static Builder builder(Store store) {
    return Factory.load().builder(store);
  }

  /** Returns the random id of this node, which no other node has or will have. */
  String nodeId();

  /** Returns the name of this node for people, such as {@code app@host:pid}. */
  String label();

  /** Returns the store this node works on. */
  Store store();

  /** Returns the exclusive lock of that name, with this node's default options. */
  DistributedLock lock(String name);

  /** Returns the exclusive lock of that name. */
  DistributedLock lock(String name, LockOptions options);

  /** Returns the read-write lock of that name, with this node's default options. */
  DistributedReadWriteLock readWriteLock(String name);

  /** Returns the read-write lock of that name: many readers, or one writer. */
  DistributedReadWriteLock readWriteLock(String name, LockOptions options);

  /** Returns the semaphore of that name, with this node's default options. */
  DistributedSemaphore semaphore(String name, int capacity);

  /**
   * Returns the semaphore of that name, of whose permits at most {@code capacity} are given out.
   * All users of a name should agree on its capacity: each request is judged by its own.
   */
  DistributedSemaphore semaphore(String name, int capacity, LockOptions options);

  /** Returns the exclusive locks of those names, to be taken all or none. */
  default LockGroup allOf(String... names) {
    return allOf(List.of(names));
  }

  /** Returns the exclusive locks of those names, to be taken all or none. */
  LockGroup allOf(Collection<String> names);

  /** Returns the exclusive locks of those names, to be taken all or none. */
  LockGroup allOf(Collection<String> names, LockOptions options);

  /** Returns the job of that name, with this node's default options. */
  Job job(String name);

  /**
   * Returns the job of that name: work that one node does for each tick. The options' lease is how
   * long a dead node keeps the others from taking over.
   */
  Job job(String name, LockOptions options);

  /** Returns the election of that name, with this node's default options. */
  Election election(String name);

  /** Returns the election of that name: one node at a time leads. */
  Election election(String name, LockOptions options);

  /** Returns the view for operators: who holds, who waits, forced release, and the journal. */
  Inspector inspector();

  /**
   * Has {@code listener} called for each event of this node from now on, on the callback executor.
   *
   * @return what ends the subscription when it is run
   */
  Runnable listen(Consumer<? super LockEvent> listener);

  /**
   * Has {@code monitor} told from now on how calls go, in the threads that make them: for metrics
   * and traces, to which an event for each call would cost too much.
   *
   * @return what ends it when it is run
   */
  Runnable monitor(Monitor monitor);

  /** Returns what this node counts, and goes on counting. */
  Counts counts();

  /**
   * Releases every lease of this node, refuses every waiting call, and ends the node's threads.
   * What still runs under one of the leases is told by {@link Lease#onLost}. A second close does
   * nothing.
   */
  @Override
  void close();

  /** The configuration of a node, before it is built. */
  interface Builder {

    /** Sets the name for people, of 1 to 100 characters; {@code java@host:pid} by default. */
    Builder label(String label);

    /** Sets the options of locks, jobs and elections for which none are given. */
    Builder defaults(LockOptions options);

    /**
     * Sets how long the store may leave a call without an answer before the call fails: 100 ms to 1
     * minute, 3 s by default. A call that already waits in the store's queue is patient for ten
     * times as long.
     */
    Builder responseTimeout(Duration timeout);

    /**
     * Sets where listeners, {@code onLost} callbacks and asynchronous results run. Without it the
     * node has threads of its own, on which {@code onLost} waits for no other callback; what the
     * executor refuses is run there, too.
     */
    Builder callbackExecutor(Executor executor);

    /**
     * Opens the store of a URL only to look at it: no file and no table is created, and nothing is
     * cleaned up. A store that does not exist yet shows no names, and refuses locks. For tools and
     * dashboards; of no effect on a store that the caller opened.
     */
    Builder existingStore();

    /**
     * Has a warning logged of each lease and each hold of a thread that lasts for longer than this;
     * 1 s to 365 days. Without it there is none. It is noticed when the lease is renewed, at a
     * third of its length.
     */
    Builder warnIfHeldFor(Duration time);

    /**
     * Has each acquire remember where it was called, so that the warnings of leases that are held
     * for long or were forgotten show it. It costs a stack trace each; off by default.
     */
    Builder traceAcquires(boolean trace);

    /**
     * Starts the node. An interrupt does not end it, and is kept for the caller.
     *
     * @throws IllegalArgumentException if no module on the class path opens such a URL, or if it is
     *     malformed; the message shows no secret
     * @throws StoreUnavailableException if the store of a URL cannot be reached
     */
    Pawl build();
  }

  /**
   * Is told how the calls of a node go. What concerns a call of the user is said in the thread of
   * that call, or on the callback executor if the call has none: a monitor that is slow holds up
   * whoever it watches, and no renewal. What it throws is logged. Each method does nothing unless
   * it is overridden.
   */
  interface Monitor {

    /** How a call for a lease ended. */
    enum Ending {
      /** It was granted at once. */
      GRANTED,
      /** It was granted after a wait, in the store's queue or behind other calls of this node. */
      WAITED,
      /** It was passed on by another call of this node, without a round trip. */
      PASSED,
      /** Somebody else held it, and the call was now or never. */
      BUSY,
      /** Somebody else held it until the call's time was up. */
      TIMED_OUT,
      /** The caller gave up: an interrupt, or a cancelled future. */
      CANCELLED,
      /** The store could not be reached, and has not done anything. */
      UNAVAILABLE,
      /** The store did not answer, and may have granted it. */
      UNKNOWN,
      /** Something else: the node is closed, or the thread would have waited for itself. */
      FAILED
    }

    /**
     * A call for a lease begins. Calls for the ticks of jobs and for elections are none of these,
     * nor is a re-entry.
     *
     * @return what {@link #ended} is given; null if it needs nothing
     */
    default @Nullable Object began(String name) {
      return null;
    }

    /**
     * A call for a lease has ended.
     *
     * @param began what {@link #began} has returned
     * @param tookNanos until it was granted, or ended otherwise
     */
    default void ended(@Nullable Object began, String name, Ending ending, long tookNanos) {}

    /** A lease was closed while it was held. */
    default void released(String name, long heldNanos) {}

    /** A lease was lost, of a lock, a job ({@code job:NAME}) or an election. */
    default void lost(String name, long heldNanos) {}

    /** Runs the body of a job, once, and returns or throws what it does. */
    default <T> T run(Job.Run run, Job.Body<T> body) throws Exception {
      return body.run(run);
    }

    /** A call for a tick has ended, and the store has been told of it. */
    default void ran(String job, Job.Outcome<?> outcome) {}

    /**
     * A call for a tick has ended with an exception, and so without an outcome: the store could not
     * be reached ({@link Ending#UNAVAILABLE}), did not answer ({@link Ending#UNKNOWN}), or
     * something else went wrong ({@link Ending#FAILED}).
     */
    default void failed(String job, Ending ending) {}

    /**
     * Ticks were missed. Those of {@link Job#every} are always noticed; those of a schedule if the
     * job has a listener ({@link Job#onMissed}), or if a later one was done.
     */
    default void missed(Job.Missed missed) {}
  }

  /** What a node counts of itself, at next to no cost, since it was built. */
  interface Counts {

    /** What a name belongs to. */
    enum Kind {
      LOCK,
      JOB,
      ELECTION
    }

    /** What a node asks of its store. */
    enum Call {
      ACQUIRE,
      YIELD,
      RENEW,
      RELEASE,
      CANCEL,
      EVICT,
      RESET,
      FIND,
      LIST,
      CLOCK,
      JOURNAL,
      REGISTER
    }

    /** How the store answered. */
    enum Answer {
      OK,
      /** It could not be reached, and has not done anything. */
      UNAVAILABLE,
      /** It may have done it. */
      UNKNOWN,
      /** Something else, such as an error of the driver. */
      FAILED
    }

    /** Returns how many leases callers of this node have now. */
    int held(Kind kind);

    /** Returns how many callers of this node wait now. */
    int waiting(Kind kind);

    /** Returns how many calls to the store were answered like that. */
    long storeCalls(Call call, Answer answer);

    /** Returns how many renewals failed, of leases and of places in a queue, each by itself. */
    long failedRenewals();
  }

  /** The link from the API to what implements it; found by {@link ServiceLoader}. */
  interface Factory {

    /** Starts a node that owns the store at the URL. */
    Builder builder(String url);

    /** Starts a node on a store that belongs to the caller. */
    Builder builder(Store store);

    private static Factory load() {
      return ServiceLoader.load(Factory.class, Factory.class.getClassLoader())
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalStateException(
                      "pawl-core is incomplete: META-INF/services/dev.pawl.Pawl$Factory is missing;"
                          + " if the jar was merged into another, merge its service files too"));
    }
  }
}
