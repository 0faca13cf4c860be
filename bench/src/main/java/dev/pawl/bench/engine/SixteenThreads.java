package dev.pawl.bench.engine;

import dev.pawl.DistributedLock;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/** How often sixteen threads of one node pass a lock on, against a fair {@link ReentrantLock}. */
@State(Scope.Benchmark)
@Threads(16)
public class SixteenThreads {

  private final ReentrantLock fair = new ReentrantLock(true);
  private final Pawl pawl = Pawl.builder(new MemoryStore()).build();
  private final DistributedLock lock = pawl.lock("invoice:42");
  private long passes;

  @Benchmark
  public long fairReentrantLock() {
    return pass(fair);
  }

  @Benchmark
  public long pawl() {
    return pass(lock);
  }

  private long pass(Lock taken) {
    taken.lock();
    try {
      return ++passes;
    } finally {
      taken.unlock();
    }
  }

  @TearDown
  public void close() {
    pawl.close();
  }
}
