package dev.pawl.hazelcast.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.pawl.hazelcast.Clusters;
import dev.pawl.hazelcast.Embedded;
import dev.pawl.hazelcast.HazelcastStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** I3, I12: the clock of a member, and of a name that goes from one member to another. */
@Tag("safety")
class MemberClockTest {

  private static final long SECOND = 1_000_000;
  private static final long LEASE = 10 * SECOND;

  private final AtomicLong cluster = new AtomicLong(1_700_000_000 * SECOND);
  private final AtomicLong nanos = new AtomicLong();
  private long claims;

  private MemberClock clock() {
    return new MemberClock(cluster::get, nanos::get);
  }

  private void pass(long micros) {
    cluster.addAndGet(micros);
    nanos.addAndGet(micros * 1_000);
  }

  @Test
  void aWallClockThatIsSetMovesNothing() {
    MemberClock clock = clock();
    long start = clock.micros();
    cluster.addAndGet(3_600 * SECOND);
    assertThat(clock.micros()).as("set forward").isEqualTo(start);
    cluster.addAndGet(-7_200 * SECOND);
    assertThat(clock.micros()).as("set back").isEqualTo(start);
    for (int i = 1; i <= 10; i++) {
      pass(SECOND);
      assertThat(clock.micros() - start)
          .as("within the margin of a lease")
          .isBetween(i * SECOND * 99 / 100, i * SECOND * 101 / 100);
    }
  }

  @Test
  void itFollowsTheTimeOfTheClusterSlowlyAndNeverGoesBack() {
    MemberClock clock = clock();
    cluster.addAndGet(-200_000);
    long last = clock.micros();
    for (int i = 0; i < 60_000; i++) {
      pass(1_000);
      long now = clock.micros();
      assertThat(now).isGreaterThanOrEqualTo(last);
      last = now;
    }
    assertThat(last - cluster.get()).as("a minute later").isBetween(-1_000L, 6_000L);
  }

  @Test
  void timeDoesNotGoBackForANameWhoseOwnerIsGone() throws Exception {
    try (Embedded members = withSecond(-5 * SECOND)) {
      HazelcastInstance left = members.member(1);
      try (HazelcastStore store = HazelcastStore.of(left, Clusters.PATIENT)) {
        String name = ownedBy(members.member(0));
        ClaimId holder = claim();
        Grant before = grant(store, name, holder);
        members.member(0).getLifecycleService().terminate();

        RenewReply.Held held =
            (RenewReply.Held)
                of(store.renew(List.of(new Command.Renew(name, holder, 1, LEASE, "")))).get(0);

        assertThat(held.grant().token()).isEqualTo(before.token());
        assertThat(held.grant().nowMicros()).isGreaterThanOrEqualTo(before.nowMicros());
        assertThat(held.grant().untilMicros()).isGreaterThanOrEqualTo(before.untilMicros());
        assertThat(of(store.acquire(acquire(name, claim()))))
            .as("the backup knows who holds it")
            .isInstanceOf(AcquireReply.Busy.class);
      }
    }
  }

  @Test
  void noLeaseEndsByTheDifferenceOfTwoClocks() throws Exception {
    try (Embedded members = withSecond(3_600 * SECOND)) {
      try (HazelcastStore store = HazelcastStore.of(members.member(1), Clusters.PATIENT)) {
        String name = ownedBy(members.member(0));
        ClaimId holder = claim();
        Grant before = grant(store, name, holder);
        ClaimId waiter = claim();
        assertThat(of(store.acquire(acquire(name, waiter, true))))
            .isInstanceOf(AcquireReply.Queued.class);
        members.member(0).getLifecycleService().terminate();

        assertThat(of(store.acquire(acquire(name, claim()))))
            .as("by a clock that is an hour ahead")
            .isInstanceOf(AcquireReply.Busy.class);
        RenewReply.Held held =
            (RenewReply.Held)
                of(store.renew(List.of(new Command.Renew(name, holder, 1, LEASE, "")))).get(0);
        assertThat(held.grant().token()).isEqualTo(before.token());
        assertThat(held.grant().untilMicros() - held.grant().nowMicros())
            .isGreaterThanOrEqualTo(LEASE);
        assertThat(of(store.renew(List.of(new Command.Renew(name, waiter, 1, LEASE, "")))))
            .hasOnlyElementsOfType(RenewReply.Waiting.class);
      }
    }
  }

  @Test
  void aHolderThatDiedWithTheOwnerOfItsNameIsForgotten() throws Exception {
    try (Embedded members = withSecond(3_600 * SECOND)) {
      try (HazelcastStore store = HazelcastStore.of(members.member(1), Clusters.PATIENT)) {
        String name = ownedBy(members.member(0));
        assertThat(grant(store, name, claim()).token()).isPositive();
        members.member(0).getLifecycleService().terminate();
        IMap<String, byte[]> locks = members.member(1).getMap("pawl.locks");
        long clock = MemberClock.of(members.member(1)).id();
        until(() -> Stored.decode(locks.get(name)).clock() == clock);
        pass(LEASE);
        until(() -> !locks.containsKey(name));
      }
    }
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  @Test
  void tokensRiseForANameThatWasForgotten() throws Exception {
    try (Embedded members = withSecond(-5 * SECOND)) {
      try (HazelcastStore store = HazelcastStore.of(members.member(1), Clusters.PATIENT)) {
        String name = ownedBy(members.member(0));
        ClaimId holder = claim();
        Grant before = grant(store, name, holder);
        pass(1);
        of(
            store.release(
                new Command.Release(name, holder, before.token(), OptionalLong.empty(), false)));
        assertThat(of(store.find(name))).as("nothing is left of it").isEmpty();
        members.member(0).getLifecycleService().terminate();

        assertThat(grant(store, name, claim()).token()).isGreaterThan(before.token());
      }
    }
  }

  @Test
  void timeGoesOnWhenTheOldestMemberGoes() throws Exception {
    try (Embedded members = new Embedded(3)) {
      try (HazelcastStore store = HazelcastStore.of(members.member(2), Clusters.PATIENT)) {
        List<String> names = IntStream.range(0, 40).mapToObj(i -> "name " + i).toList();
        long[] tokens = new long[names.size()];
        for (int gone = 0; gone < 2; gone++) {
          for (int i = 0; i < tokens.length; i++) {
            tokens[i] = hold(store, names.get(i), tokens[i]);
          }
          members.member(gone).getLifecycleService().terminate();
          for (int i = 0; i < tokens.length; i++) {
            tokens[i] = hold(store, names.get(i), tokens[i]);
          }
        }
      }
    }
  }

  private long hold(HazelcastStore store, String name, long last) throws Exception {
    ClaimId claim = claim();
    long token = grant(store, name, claim).token();
    assertThat(token).isGreaterThan(last);
    of(store.release(new Command.Release(name, claim, token, OptionalLong.empty(), false)));
    return token;
  }

  /** Two members, of which the second is ahead by so much. */
  private Embedded withSecond(long aheadMicros) {
    Embedded members = new Embedded(2);
    MemberClock.set(members.member(0), clock());
    MemberClock.set(
        members.member(1), new MemberClock(() -> cluster.get() + aheadMicros, nanos::get));
    return members;
  }

  private static String ownedBy(HazelcastInstance member) {
    return IntStream.range(0, 10_000)
        .mapToObj(i -> "name " + i)
        .filter(
            name ->
                member
                    .getPartitionService()
                    .getPartition(name)
                    .getOwner()
                    .equals(member.getCluster().getLocalMember()))
        .findFirst()
        .orElseThrow();
  }

  private ClaimId claim() {
    return new ClaimId("node", ++claims);
  }

  private Grant grant(HazelcastStore store, String name, ClaimId claim) throws Exception {
    return ((AcquireReply.Granted) of(store.acquire(acquire(name, claim)))).grant();
  }

  private static Command.Acquire acquire(String name, ClaimId claim) {
    return acquire(name, claim, false);
  }

  private static Command.Acquire acquire(String name, ClaimId claim, boolean queue) {
    return new Command.Acquire(
        name,
        claim,
        Command.EVERYTHING,
        Command.EVERYTHING,
        LEASE,
        1,
        OptionalLong.empty(),
        queue,
        true,
        "label",
        "");
  }

  private static <T> T of(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
