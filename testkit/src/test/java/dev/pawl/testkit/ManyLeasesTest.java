package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A node that holds more leases than one call renews. */
class ManyLeasesTest {

  private static final int CALL = LockStore.MOST_RENEWALS;
  private static final int LEASES = 8 * CALL;

  /** So that a renewal may be late by three seconds. */
  private static final LockOptions SIX_SECONDS =
      LockOptions.DEFAULT.withLease(Duration.ofSeconds(6));

  @Test
  void aCallThatFailsTakesNoLeaseOfAnotherCallAlong() throws Exception {
    OneRefused store = new OneRefused("lock-0");
    try (Pawl pawl = Pawl.builder(store).defaults(SIX_SECONDS).build()) {
      List<Lease> leases = take(pawl);
      CountDownLatch lost = new CountDownLatch(1);
      leases.get(0).onLost(lost::countDown);

      assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();

      List<Lease> others =
          leases.stream().filter(lease -> !store.refused.contains(lease.name())).toList();
      assertThat(others).hasSizeGreaterThan(LEASES / 4).allMatch(Lease::isHeld);
      assertThat(store.sizes).allMatch(size -> size <= CALL);
    }
  }

  @Test
  void aRenewalThatStandsInLineForAThreadIsNotMadeAgain() throws Exception {
    Stuck store = new Stuck();
    String node;
    try (Pawl pawl = Pawl.builder(store).defaults(SIX_SECONDS).build()) {
      node = pawl.nodeId();
      take(pawl);
      assertThat(store.begun.await(30, TimeUnit.SECONDS)).isTrue();
      // A lease whose renewal is not answered is due again every tenth of its time.
      assertThat(store.never.await(2, TimeUnit.SECONDS)).isFalse();
      store.goOn.countDown();
    }
    ApiCases.eventually("the line is done", () -> renewalThreads(node) == 0);

    assertThat(store.renewals.values())
        .as("renewals of a lease: one that got stuck, one in line behind it, one in its time")
        .isNotEmpty()
        .allMatch(count -> count <= 3);
  }

  @Test
  void onlySomeAreUnderWayAtATimeAndOneThatGetsNoAnswerDelaysTheOthersByASecond() throws Exception {
    Late store = new Late();
    LockOptions nineSeconds = LockOptions.DEFAULT.withLease(Duration.ofSeconds(9));
    try (Pawl pawl = Pawl.builder(store).defaults(nineSeconds).build()) {
      List<Lease> leases = take(pawl);
      ApiCases.eventually("all are renewed", () -> store.renewed.size() == LEASES);

      assertThat(leases).allMatch(Lease::isHeld);
      assertThat(store.most).as("claims under way").hasValueLessThanOrEqualTo(4 * CALL);
    }
  }

  private static long renewalThreads(String node) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("pawl-renewal-" + node))
        .count();
  }

  private static List<Lease> take(Pawl pawl) throws InterruptedException {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < LEASES; i++) {
      leases.add(pawl.lock("lock-" + i).acquire());
    }
    return leases;
  }

  /** Fails every call that is about one name. */
  private static final class OneRefused extends ForwardingStore {
    final Set<String> refused = ConcurrentHashMap.newKeySet();
    final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
    private final String name;

    OneRefused(String name) {
      super(new MemoryStore());
      this.name = name;
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      sizes.add(commands.size());
      List<String> names = commands.stream().map(Command.Renew::name).toList();
      if (!names.contains(name)) {
        return super.renew(commands);
      }
      refused.addAll(names);
      return CompletableFuture.failedFuture(new StoreUnavailableException("not now", null));
    }
  }

  /** Keeps its first calls, as many as a node has threads for renewals, until they may go on. */
  private static final class Stuck extends ForwardingStore {
    final CountDownLatch begun = new CountDownLatch(4);
    final CountDownLatch goOn = new CountDownLatch(1);
    final CountDownLatch never = new CountDownLatch(1);
    final Map<String, Integer> renewals = new ConcurrentHashMap<>();

    Stuck() {
      super(new MemoryStore());
    }

    @Override
    public boolean blocking() {
      return true;
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      commands.forEach(command -> renewals.merge(command.name(), 1, Integer::sum));
      begun.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return super.renew(commands);
    }
  }

  /** Answers after a while, and the first calls never. */
  private static final class Late extends ForwardingStore {
    private static final int UNANSWERED = 4;

    /** Shorter than a call is waited for before others are sent. */
    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private final Executor later =
        CompletableFuture.delayedExecutor(30, TimeUnit.MILLISECONDS, Runnable::run);
    private final Map<List<Command.Renew>, Long> underWay = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    final Set<String> renewed = ConcurrentHashMap.newKeySet();
    final AtomicInteger most = new AtomicInteger();

    Late() {
      super(new MemoryStore());
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      long now = System.nanoTime();
      underWay.put(commands, now);
      int young = 0;
      for (Map.Entry<List<Command.Renew>, Long> call : underWay.entrySet()) {
        young += now - call.getValue() < YOUNG_NANOS ? call.getKey().size() : 0;
      }
      most.accumulateAndGet(young, Math::max);
      if (calls.incrementAndGet() <= UNANSWERED) {
        return new CompletableFuture<>();
      }
      return CompletableFuture.supplyAsync(() -> 0, later)
          .thenCompose(
              there -> {
                underWay.remove(commands);
                commands.forEach(command -> renewed.add(command.name()));
                return super.renew(commands);
              });
    }
  }
}
