package dev.pawl.bench.engine;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What the engine adds: acquire and release by one thread, against the two calls of the memory
 * store that they come to.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class UncontendedPair {

  private static final String NAME = "invoice:42";

  private final LockStore store = new MemoryStore();
  private final Pawl pawl = Pawl.builder(new MemoryStore()).build();
  private final DistributedLock lock = pawl.lock(NAME);
  private long counter;

  @Benchmark
  public Object storeAlone() {
    ClaimId claim = new ClaimId("node", ++counter);
    store.acquire(
        new Command.Acquire(
            NAME,
            claim,
            Command.EVERYTHING,
            Command.EVERYTHING,
            10_000_000,
            65,
            OptionalLong.empty(),
            true,
            true,
            "label",
            "main#1"));
    return store.release(new Command.Release(NAME, claim, 1, OptionalLong.empty(), false));
  }

  @Benchmark
  public long pawl() throws InterruptedException {
    try (Lease lease = lock.acquire()) {
      return lease.token();
    }
  }

  @Benchmark
  public int pawlByThread() {
    lock.lock();
    try {
      return lock.holdCount();
    } finally {
      lock.unlock();
    }
  }

  @TearDown
  public void close() {
    pawl.close();
  }
}
