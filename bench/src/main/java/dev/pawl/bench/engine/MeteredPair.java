package dev.pawl.bench.engine;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.micrometer.PawlMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a bound registry adds to acquire and release: at most 150 ns, and with {@code -prof gc} no
 * byte beyond those of the meters themselves, which are the two timers that a pair is recorded by.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MeteredPair {

  private static final String NAME = "invoice:42";

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Timer first = registry.timer("first");
  private final Timer second = registry.timer("second");
  private final Pawl plain = Pawl.builder(new MemoryStore()).build();
  private final Pawl metered = metered(Pawl.builder(new MemoryStore()).build());
  private final DistributedLock plainLock = plain.lock(NAME);
  private final DistributedLock meteredLock = metered.lock(NAME);
  private long nanos;

  private Pawl metered(Pawl pawl) {
    new PawlMetrics(pawl).withNames("sms", NAME).bindTo(registry);
    return pawl;
  }

  @Benchmark
  public long plain() throws InterruptedException {
    return pair(plainLock);
  }

  @Benchmark
  public long metered() throws InterruptedException {
    return pair(meteredLock);
  }

  @Benchmark
  public void metersAlone() {
    first.record(++nanos, TimeUnit.NANOSECONDS);
    second.record(++nanos, TimeUnit.NANOSECONDS);
  }

  private static long pair(DistributedLock lock) throws InterruptedException {
    try (Lease lease = lock.acquire()) {
      return lease.token();
    }
  }

  @TearDown
  public void close() {
    plain.close();
    metered.close();
    registry.close();
  }
}
