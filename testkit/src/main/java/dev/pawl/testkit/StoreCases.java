package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * What the cases of one topic have in common: stores, names that nobody else uses, and patience.
 */
@Tag("spi")
abstract class StoreCases {

  private static final String RUN = UUID.randomUUID().toString().substring(0, 8);
  private static final AtomicLong CASES = new AtomicLong();

  /** How often a condition is looked at, in the store's time. */
  private static final Duration STEP = Duration.ofMillis(20);

  /** How far the ends of one lease may be apart where a store adds up several clocks. */
  static final Offset<Long> A_SECOND = Offset.offset(1_000_000L);

  final StoreConformance suite;
  private final String prefix = "case-" + RUN + "-" + CASES.incrementAndGet() + ":";
  private final List<LockStore> stores = new ArrayList<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private int nodes;

  StoreCases(StoreConformance suite) {
    this.suite = suite;
  }

  @AfterEach
  final void closeEverything() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

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

  /** A node, on one and then on the other instance of the store. */
  final ScriptedNode node(String label) {
    return closedAtTheEnd(new ScriptedNode(store(nodes++ % 2), label, suite.patience()));
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

  /** Names that the store keeps in one shard. */
  final List<String> namesOfOneShard(int count) {
    List<String> names = new ArrayList<>();
    String shard = store().shard(name("0"));
    for (int i = 0; names.size() < count; i++) {
      if (store().shard(name("" + i)).equals(shard)) {
        names.add(name("" + i));
      }
    }
    return names;
  }

  final void pass(Duration duration) {
    try {
      suite.pass(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while time was to pass", e);
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

  /** A grant that lasts no longer than its lease, and not much shorter. */
  static void lastsFor(Duration lease, Grant grant) {
    long micros = lease.toNanos() / 1_000;
    assertThat(grant.untilMicros() - grant.nowMicros())
        .as("how long %s lasts", grant)
        .isBetween(micros - micros / 4, micros);
  }

  /** Waits until the store has forgotten everything about the names of this case (I10). */
  final void nothingIsLeft() {
    until(
        "the store forgets the names of this case",
        Duration.ofSeconds(10),
        () -> suite.leftovers(store(), prefix) == 0);
    assertThat(suite.leftovers(store(), prefix)).as("left in the store").isZero();
  }
}
