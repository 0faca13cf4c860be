package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.CountingStore;
import dev.pawl.testkit.CountingStore.Call;
import dev.pawl.testservers.Measurement;
import java.time.Duration;
import java.util.Map;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pair costs in the calm, counted. */
@Timeout(60)
class PairCostTest {

  private static final Duration PERIOD = PairOptions.DEFAULT.modeLease().dividedBy(3);

  private record Event(long at, long order, Runnable task) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private long now;
  private long order;

  private Surroundings world() {
    return new Surroundings(
        () -> now,
        (nanos, task) -> events.add(new Event(now + nanos, order++, task)),
        Runnable::run,
        () -> {});
  }

  private void pass(Duration time) {
    long end = now + time.toNanos();
    while (!events.isEmpty() && events.peek().at() <= end) {
      Event event = events.poll();
      now = event.at();
      event.task().run();
    }
    now = end;
  }

  private PairStore node(String id, LockStore primary, LockStore backup) {
    PairOptions options = PairOptions.DEFAULT;
    Surroundings world = world();
    PairStore pair =
        new PairStore(
            world,
            id,
            options,
            new Stores("p", "b", options.modeLease().toMillis()),
            Opening.of(world, primary, backup, options),
            false);
    pair.begin();
    return pair;
  }

  @Test
  void aNodeWritesIntoTheBackupOnceEveryThirdOfAModeLeaseAndAsksItForNothingElse() {
    MemoryStore primary = new MemoryStore();
    MemoryStore backup = new MemoryStore();
    CountingStore first = new CountingStore(backup);
    CountingStore second = new CountingStore(backup);
    node("a", primary, first);
    node("b", primary, second);
    pass(Duration.ofMinutes(3));
    first.reset();
    second.reset();
    long before = version(backup);
    pass(PERIOD.multipliedBy(60));
    assertThat(version(backup) - before).as("writes of two nodes").isBetween(118L, 122L);
    for (CountingStore counted : new CountingStore[] {first, second}) {
      assertThat(counted.counts().keySet()).containsExactly(Call.REGISTER);
      // Where the other has written meanwhile, a write is refused, reads that, and is repeated.
      assertThat(counted.count(Call.REGISTER)).isBetween(59L, 122L);
    }
  }

  @Test
  void aNodeThatIsAloneNeedsOneRoundTripForIt() {
    CountingStore backup = new CountingStore(new MemoryStore());
    node("a", new MemoryStore(), backup);
    pass(Duration.ofMinutes(3));
    backup.reset();
    pass(PERIOD.multipliedBy(60));
    assertThat(backup.counts().keySet()).containsExactly(Call.REGISTER);
    assertThat(backup.count(Call.REGISTER)).isBetween(59L, 61L);
  }

  private static long version(LockStore backup) {
    return backup.registers().read(ModeRegister.KEY).toCompletableFuture().join().version();
  }

  @Test
  void aLockCostsWhatThePrimaryAloneCosts() throws Exception {
    // A command that is not answered within a second is sent again, and a lease is renewed.
    Measurement.whereNothingStalls(PairCostTest::aLockCostsTheSame);
  }

  private static void aLockCostsTheSame() throws Exception {
    CountingStore alone = new CountingStore(new MemoryStore());
    Map<Call, Long> expected;
    try (Pawl pawl = Pawl.builder(alone).build()) {
      expected = use(pawl, alone);
    }
    CountingStore primary = new CountingStore(new MemoryStore());
    CountingStore backup = new CountingStore(new MemoryStore());
    try (PairStore pair = PairStore.open(primary, backup, PairOptions.DEFAULT);
        Pawl pawl = Pawl.builder(pair).build()) {
      backup.reset();
      assertThat(use(pawl, primary)).isEqualTo(expected);
      assertThat(backup.counts().keySet()).isSubsetOf(Call.REGISTER);
      assertThat(backup.count(Call.REGISTER)).as("renewals of the mode lease").isLessThan(3);
    }
  }

  private static Map<Call, Long> use(Pawl pawl, CountingStore counted) throws Exception {
    pawl.lock("warm").acquire().close();
    counted.reset();
    for (int i = 0; i < 10; i++) {
      pawl.lock("x" + i).acquire().close();
      pawl.readWriteLock("r" + i).readLock().acquire().close();
      pawl.semaphore("s" + i, 3).acquire().close();
      assertThat(pawl.lock("t" + i).tryAcquire()).isPresent();
    }
    return counted.counts();
  }
}
