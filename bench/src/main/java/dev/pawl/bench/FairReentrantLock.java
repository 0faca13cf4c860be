package dev.pawl.bench;

import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** The yardstick within one process: sixteen threads that pass on a fair {@link ReentrantLock}. */
@State(Scope.Benchmark)
public class FairReentrantLock {

  private final ReentrantLock lock = new ReentrantLock(true);
  private long passes;

  @Benchmark
  @Threads(16)
  public long pass() {
    lock.lock();
    try {
      return ++passes;
    } finally {
      lock.unlock();
    }
  }
}
