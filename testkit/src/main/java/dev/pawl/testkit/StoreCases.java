package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/**
 * What the cases of one topic have in common: stores, names that nobody else uses, and patience.
 */
abstract class StoreCases {

  private static final String RUN = UUID.randomUUID().toString().substring(0, 8);
  private static final AtomicLong CASES = new AtomicLong();

  /** How often something is tried that a machine which stalls can spoil. */
  private static final int ATTEMPTS = 20;

  /** How often a condition is looked at, in the store's time. */
  private static final Duration STEP = Duration.ofMillis(20);

  final StoreConformance suite;
  private String prefix = freshPrefix();
  private int attempts;
  private long startNanos;

  /** How much of the time that went by the case meant to let go by. */
  private long meantNanos;

  private final List<LockStore> stores = new ArrayList<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  StoreCases(StoreConformance suite) {
    this.suite = suite;
  }

  @AfterEach
  final void closeEverything() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private static String freshPrefix() {
    return "case-" + RUN + "-" + CASES.incrementAndGet() + ":";
  }

  /** Begins the whole case, or begins it again: under names that nobody has used. */
  final void begin() {
    prefix = freshPrefix();
    startNanos = System.nanoTime();
    meantNanos = 0;
  }

  /** How long the case has taken since it began, without the time that it meant to let go by. */
  final Duration heldUp() {
    return Duration.ofNanos(System.nanoTime() - startNanos - meantNanos);
  }

  /** A wait that was as long as it was to be, and in which nothing had to stay as it was. */
  final void meant(Duration wait) {
    meantNanos += wait.toNanos();
  }

  /**
   * Tells whether the case failed because the machine stalled, and says nothing of the store.
   *
   * @param queues whether the case has claims that wait in the store
   */
  boolean isSpoilt(Throwable failure, boolean queues) {
    return false;
  }

  /** Gives up what an attempt that was spoilt has left in the store. */
  void giveUp() {}

  /** The first of the two instances of the store. */
  final LockStore store() {
    return store(0);
  }

  /** One of two instances of the store, which see the same locks. */
  final LockStore store(int index) {
    while (stores.size() <= index) {
      stores.add(closedAtTheEnd(freshStore()));
    }
    return stores.get(index);
  }

  /** One more instance, which the case closes. */
  final LockStore freshStore() {
    try {
      return suite.open();
    } catch (Exception e) {
      throw new AssertionError("the store could not be opened", e);
    }
  }

  final <C extends AutoCloseable> C closedAtTheEnd(C closeable) {
    opened.addFirst(closeable);
    return closeable;
  }

  /** What all names of this case begin with. */
  final String prefix() {
    return prefix;
  }

  final String name() {
    return name("lock");
  }

  final String name(String suffix) {
    return prefix + suffix;
  }

  final void pass(Duration duration) {
    long start = System.nanoTime();
    try {
      suite.pass(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while time was to pass", e);
    }
    // What it took beyond that was a stall; and a clock that can be set takes no time at all.
    meant(Duration.ofNanos(Math.min(duration.toNanos(), System.nanoTime() - start)));
  }

  /** Something that is so only if it does not take long, under a name that is given. */
  @FunctionalInterface
  interface Attempt {
    void make(String name) throws Exception;
  }

  /** Something that can be made only if that does not take long, under a name that is given. */
  @FunctionalInterface
  interface Making<T> {
    T make(String name) throws Exception;
  }

  /**
   * Makes an attempt, and judges it only if it took no longer than it may, not counting the time
   * that it let {@link #pass}. Where the machine stalls, a lease ends meanwhile, or what was not
   * answered is asked again: an attempt that failed so late is made again.
   */
  final void inTime(Duration limit, Attempt attempt) throws Exception {
    madeInTime(
        limit,
        name -> {
          attempt.make(name);
          return name;
        });
  }

  final <T> T madeInTime(Duration limit, Making<T> making) throws Exception {
    for (int made = 1; ; made++) {
      Duration before = heldUp();
      try {
        return making.make(name("attempt-" + ++attempts));
      } catch (AssertionError | RuntimeException e) {
        if (made == ATTEMPTS || heldUp().minus(before).compareTo(limit) < 0) {
          throw e;
        }
      }
    }
  }

  /** Waits, in the store's time, until something is so; looks at it every 20 ms. */
  final void until(String what, Duration within, BooleanSupplier condition) {
    Duration waited = Duration.ZERO;
    while (!condition.getAsBoolean()) {
      if (waited.compareTo(within) > 0) {
        fail("%s: not within %s", what, within);
      }
      pass(STEP);
      waited = waited.plus(STEP);
    }
  }

  /** How long the store may take to forget a name after its last use. */
  Duration forgetting() {
    return Duration.ofSeconds(10);
  }

  /** Waits until the store has forgotten everything about the names of this case (I10). */
  final void nothingIsLeft() {
    until(
        "the store forgets the names of this case",
        forgetting(),
        () -> suite.leftovers(store(), prefix) == 0);
    assertThat(suite.leftovers(store(), prefix)).as("left in the store").isZero();
  }
}
