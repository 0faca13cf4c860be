package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Many callers and many nodes on one name. */
class HazelcastCrowdTest {

  private static Embedded cluster;

  @BeforeAll
  static void start() {
    cluster = new Embedded(2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void aThousandNodesThatAskForOneNameAtOnceAllQueue() throws Exception {
    try (HazelcastStore store = HazelcastStore.of(cluster.member(0), Clusters.PATIENT)) {
      assertThat(store.acquire(acquire("holder")).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isInstanceOf(AcquireReply.Granted.class);
      List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        replies.add(store.acquire(acquire("node" + i)).toCompletableFuture());
      }
      for (CompletableFuture<AcquireReply> each : replies) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isInstanceOf(AcquireReply.Queued.class);
      }
    }
  }

  private static Command.Acquire acquire(String node) {
    return new Command.Acquire(
        "crowd",
        new ClaimId(node, 1),
        Command.EVERYTHING,
        Command.EVERYTHING,
        600_000_000,
        1,
        OptionalLong.empty(),
        true,
        true,
        "label",
        "actor");
  }

  @Test
  void aThousandCallersInTwoNodesAreServedByASemaphoreOfFour() throws Exception {
    CountingInstance first = new CountingInstance(cluster.member(0));
    CountingInstance second = new CountingInstance(cluster.member(1));
    LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMinutes(1));
    try (Pawl a = pawl(first, options);
        Pawl b = pawl(second, options)) {
      AtomicInteger held = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        callers.add(
            (i % 2 == 0 ? a : b)
                .semaphore("gpu", 4)
                .acquireAsync(1, Duration.ofMinutes(2))
                .thenAcceptAsync(
                    lease -> {
                      most.accumulateAndGet(held.incrementAndGet(), Math::max);
                      held.decrementAndGet();
                      release(lease);
                    }));
      }
      for (CompletableFuture<Void> caller : callers) {
        caller.get(2, TimeUnit.MINUTES);
      }
      assertThat(most.get()).isBetween(1, 4);
      assertThat(first.sent() + second.sent()).as("calls for a thousand").isLessThan(8_000);
    }
  }

  private static void release(Lease lease) {
    lease.close();
  }

  private static Pawl pawl(CountingInstance instance, LockOptions options) {
    return Pawl.builder(HazelcastStore.of(instance.instance(), Clusters.PATIENT))
        .defaults(options)
        .responseTimeout(Duration.ofMinutes(1))
        .build();
  }
}
