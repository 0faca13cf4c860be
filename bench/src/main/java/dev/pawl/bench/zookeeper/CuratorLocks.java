package dev.pawl.bench.zookeeper;

import dev.pawl.bench.contest.Competitor;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/** Curator's recipes, of one permit each. */
final class CuratorLocks {

  private static final int SESSION_MILLIS = 10_000;

  private CuratorLocks() {}

  static Competitor mutex(String address) {
    return new Locks(address) {
      @Override
      InterProcessLock lock(String name) {
        return new InterProcessMutex(client, "/mutex/" + name);
      }
    };
  }

  static Competitor writeLock(String address) {
    return new Locks(address) {
      @Override
      InterProcessLock lock(String name) {
        return new InterProcessReadWriteLock(client, "/write/" + name).writeLock();
      }
    };
  }

  static Competitor semaphore(String address) {
    return new Semaphores(address);
  }

  private static CuratorFramework connect(String address) {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(address)
            .sessionTimeoutMs(SESSION_MILLIS)
            .retryPolicy(new ExponentialBackoffRetry(100, 3))
            .build();
    client.start();
    return client;
  }

  /** Those that are owned by the thread. */
  private abstract static class Locks implements Competitor {
    final CuratorFramework client;

    Locks(String address) {
      client = connect(address);
    }

    abstract InterProcessLock lock(String name);

    @Override
    public Hold acquire(String name) throws Exception {
      InterProcessLock lock = lock(name);
      lock.acquire();
      return lock::release;
    }

    @Override
    public Optional<Hold> tryAcquire(String name) throws Exception {
      InterProcessLock lock = lock(name);
      return lock.acquire(0, TimeUnit.MILLISECONDS) ? Optional.of(lock::release) : Optional.empty();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** The semaphore, with one permit. */
  private static final class Semaphores implements Competitor {
    private final CuratorFramework client;

    Semaphores(String address) {
      client = connect(address);
    }

    private InterProcessSemaphoreV2 semaphore(String name) {
      return new InterProcessSemaphoreV2(client, "/semaphore/" + name, 1);
    }

    @Override
    public Hold acquire(String name) throws Exception {
      Lease lease = semaphore(name).acquire();
      return lease::close;
    }

    @Override
    public Optional<Hold> tryAcquire(String name) throws Exception {
      @Nullable Lease lease = semaphore(name).acquire(0, TimeUnit.MILLISECONDS);
      return Optional.ofNullable(lease).map(held -> held::close);
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
