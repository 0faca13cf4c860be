package dev.pawl.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.degrade.PairOptions;
import dev.pawl.degrade.PairStore;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.StoreProvider;
import dev.pawl.testkit.ForwardingStore;
import dev.pawl.testservers.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a crowd does to the database that is the backup, while it has the locks: eight nodes with
 * fifty threads each. {@code -Dpawl.long=true} measures for ten seconds, and prints it.
 */
class BackupLoadTest {

  private static final int NODES = 8;
  private static final int THREADS = 50;
  private static final boolean LONG = Boolean.getBoolean("pawl.long");
  private static final long CALLS = 2_000;

  /** The backup as one node uses it, and how many of its calls are under way. */
  private static final class Counted extends ForwardingStore {
    private final AtomicLong calls = new AtomicLong();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    Counted(LockStore store) {
      super(store);
    }

    private <T> CompletionStage<T> counted(Supplier<CompletionStage<T>> call) {
      calls.incrementAndGet();
      most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
      return call.get().whenComplete((value, error) -> underWay.decrementAndGet());
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return counted(() -> super.acquire(command));
    }

    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return counted(() -> super.release(command));
    }

    @Override
    public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
      return counted(() -> super.yieldGrant(command));
    }

    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      return counted(() -> super.cancel(command));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      calls.incrementAndGet();
      return super.renew(commands);
    }
  }

  /** The primary of all nodes, which none of them closes. */
  private static final class Shared extends ForwardingStore {
    Shared(LockStore store) {
      super(store);
    }

    @Override
    public void close() {}
  }

  private final List<Counted> backups = new ArrayList<>();
  private final List<PairStore> pairs = new ArrayList<>();
  private final List<Pawl> nodes = new ArrayList<>();
  private final AtomicLong grants = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean ending;

  @ParameterizedTest
  @CsvSource({"4, 1000", "16, 1000", "16, 1"})
  void callsUnderWayToTheBackupAreBoundedForEachNode(int bound, int names) throws Exception {
    assumeTrue(LONG || bound < 16, "what is bounded more is enough with every build");
    try (PostgresServer postgres = PostgresServer.start()) {
      open(postgres.url(), PairOptions.DEFAULT.withBackupCalls(bound));
      try {
        var unused =
            pairs
                .get(0)
                .move(
                    pairs.get(0).status().toCompletableFuture().join(),
                    Mode.BACKUP,
                    "test",
                    "a measurement")
                .toCompletableFuture()
                .join();
        await(
            () -> nodes.stream().allMatch(node -> node.store().mode().orElse("").equals("backup")));
        measure(bound, names);
      } finally {
        nodes.forEach(Pawl::close);
        pairs.forEach(PairStore::close);
      }
    }
  }

  private void open(String backup, PairOptions options) {
    MemoryStore primary = new MemoryStore();
    for (int i = 0; i < NODES; i++) {
      Counted counted = new Counted(StoreProvider.forUrl(backup).open(backup));
      backups.add(counted);
      PairStore pair = PairStore.open(new Shared(primary), counted, options);
      pairs.add(pair);
      nodes.add(Pawl.builder(pair).label("node-" + i).build());
    }
  }

  private void measure(int bound, int names) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < NODES * THREADS; i++) {
      Pawl node = nodes.get(i % NODES);
      String name = "name-" + i % names;
      Thread thread = new Thread(() -> work(node, name));
      threads.add(thread);
      thread.start();
    }
    long before = calls();
    long granted = grants.get();
    long start = System.nanoTime();
    if (LONG) {
      await(() -> System.nanoTime() - start > TimeUnit.SECONDS.toNanos(10));
    } else {
      await(() -> calls() - before > CALLS);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long made = calls() - before;
    long given = grants.get() - granted;
    ending = true;
    for (Thread thread : threads) {
      thread.join();
    }
    int most = backups.stream().mapToInt(backup -> backup.most.get()).max().orElseThrow();
    System.out.printf(
        "backup-calls=%d, %s: %.0f calls a second to the backup, %.0f leases, at most %d under way"
            + " from a node, %d calls failed%n",
        bound,
        names == 1 ? "one name" : "own names",
        made / seconds,
        given / seconds,
        most,
        failures.get());
    assertThat(most).as("under way from a node").isBetween(1, bound);
    assertThat(grants.get()).isPositive();
  }

  private void work(Pawl node, String name) {
    while (!ending) {
      try (Lease lease = node.lock(name).acquire(Duration.ofSeconds(30))) {
        grants.addAndGet(lease.isHeld() ? 1 : 0);
      } catch (PawlException e) {
        failures.incrementAndGet();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private long calls() {
    return backups.stream().mapToLong(backup -> backup.calls.get()).sum();
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("waited").isLessThan(TimeUnit.MINUTES.toNanos(2));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }
}
