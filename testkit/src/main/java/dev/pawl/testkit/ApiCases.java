package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.fail;

import dev.pawl.Election;
import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.machine.LockMachine;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Listing;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** Cases that use a store as a user does, through nodes, in real time. */
@Tag("api")
abstract class ApiCases extends StoreCases {

  /** What has not happened after this long will not happen. */
  static final Duration LONG = Duration.ofSeconds(15);

  /** What takes this long was not given back: a lease ends by itself a little later. */
  static final Duration SHORT_OF_A_LEASE = Duration.ofSeconds(8);

  /**
   * What takes no longer than this costs nothing more: no answer was late, and no grant so old that
   * it is confirmed.
   */
  static final Duration UNREPEATED = Duration.ofMillis(140);

  /** What takes no longer than this was asked once: it is asked again after a second. */
  static final Duration ASKED_ONCE = Duration.ofMillis(900);

  /** A waiter that the store has not heard of for this long has lost its place. */
  static final Duration ALIVE = Duration.of(LockMachine.WAITER_ALIVE_MICROS, ChronoUnit.MICROS);

  private int nodes;

  ApiCases(StoreConformance suite) {
    super(suite);
  }

  /**
   * A node with default options, on one and then on the other instance of the store. It bears a
   * machine that stalls: what is not answered is asked again as soon as by default, and for longer.
   */
  final Pawl pawl(String label) {
    CountingStore store = new CountingStore(store(nodes++ % 2));
    Pawl pawl = closedAtTheEnd(Pawl.builder(store).label(label).responseTimeout(LONG).build());
    store.reset(); // What a node asks when it is made is not what its calls cost.
    return pawl;
  }

  /** The round trips of a node so far, by kind. */
  static Map<CountingStore.Call, Long> calls(Pawl pawl) {
    return counter(pawl).counts();
  }

  static CountingStore counter(Pawl pawl) {
    return (CountingStore) pawl.store();
  }

  /** The default options, as far as the store can do them. */
  final LockOptions options() {
    return LockOptions.DEFAULT.withFair(store().capabilities().contains(Capability.FAIR));
  }

  /** Options with a lease so short that a case can wait for its end. */
  final LockOptions brief() {
    return options().withLease(suite.shortLease());
  }

  /** Waits, in real time, until something is so. */
  static void eventually(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        fail("%s: not within %s", what, LONG);
      }
      LockSupport.parkNanos(2_000_000);
    }
  }

  /**
   * A node that is answered late asks again, and the store remembers for a while that the claim has
   * ended, lest the second copy arrive after that.
   */
  @Override
  final Duration forgetting() {
    return super.forgetting().plus(LockMachine.ENDED_MICROS, ChronoUnit.MICROS);
  }

  /** Waits until a node is seen in the queue of a name, as far as one can see. */
  final void waitsInTheStore(String name, String label) {
    if (store().capabilities().contains(Capability.INSPECT)) {
      eventually(
          label + " waits",
          () ->
              Replies.of(store().find(name)).stream()
                  .flatMap(info -> info.waiters().stream())
                  .anyMatch(waiter -> waiter.label().equals(label)));
    }
  }

  /** Waits until nobody holds or waits for a lock, a job or a term of this case, if one can see. */
  final void nobodyIsLeft() {
    if (store().capabilities().contains(Capability.INSPECT)) {
      eventually(
          "nobody holds or waits",
          () -> Stream.of("", Job.PREFIX, Election.PREFIX).noneMatch(this::somebodyIsAt));
    }
  }

  private boolean somebodyIsAt(String kind) {
    return Replies.of(store().list(Listing.all(kind + prefix(), 1_000))).stream()
        .anyMatch(info -> !info.holders().isEmpty() || !info.waiters().isEmpty());
  }

  /**
   * Takes a lock that is free, or becomes free sooner than by the end of a forgotten lease, in a
   * thread of its own, and gives it back.
   */
  final long takenElsewhere(Pawl pawl, String name) throws Exception {
    return Background.start(
            "elsewhere",
            () -> {
              try (Lease lease = pawl.lock(name).acquire(SHORT_OF_A_LEASE)) {
                return lease.token();
              }
            })
        .result();
  }
}
