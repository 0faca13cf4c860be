package dev.pawl.bench.crowd;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson at its defaults where a process has up to five nodes. A hundred clients of it would open
 * thousands of connections and threads; they share their threads and have two connections each.
 */
final class RedissonLibrary implements Library {

  private static final int FEW = 5;

  private final List<RedissonClient> nodes = new ArrayList<>();
  private final AtomicLong holders = new AtomicLong(1_000_000);
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(4, NioIoHandler.newFactory());
  private final ExecutorService executor = Executors.newFixedThreadPool(16);

  RedissonLibrary(String address, int nodes) {
    for (int i = 0; i < nodes; i++) {
      Config config = new Config();
      if (nodes > FEW) {
        config.setEventLoopGroup(loops).setExecutor(executor).setNettyExecutor(executor);
        config
            .useSingleServer()
            .setAddress(address)
            .setConnectionPoolSize(1)
            .setConnectionMinimumIdleSize(1)
            .setSubscriptionConnectionPoolSize(1)
            .setSubscriptionConnectionMinimumIdleSize(1);
      } else {
        config.useSingleServer().setAddress(address);
      }
      this.nodes.add(Redisson.create(config));
    }
  }

  @Override
  public Hold permit(int node, String name, int capacity) throws Exception {
    RPermitExpirableSemaphore semaphore = nodes.get(node).getPermitExpirableSemaphore(name);
    semaphore.trySetPermits(capacity);
    String permit = semaphore.acquire(10, TimeUnit.SECONDS);
    return new Hold() {
      @Override
      public boolean isHeld() {
        return semaphore.getLeaseTime(permit) > 0;
      }

      @Override
      public void release() {
        semaphore.release(permit);
      }
    };
  }

  @Override
  public Hold read(int node, String name) throws Exception {
    return take(nodes.get(node).getReadWriteLock(name).readLock());
  }

  @Override
  public Hold lock(int node, String name) throws Exception {
    return take(nodes.get(node).getLock(name));
  }

  /** Each hold is that of another thread, as far as Redisson knows. */
  private Hold take(RLock lock) throws Exception {
    long holder = holders.incrementAndGet();
    lock.lockAsync(holder).get();
    return new Hold() {
      @Override
      public boolean isHeld() {
        return lock.isHeldByThread(holder);
      }

      @Override
      public void release() throws Exception {
        lock.unlockAsync(holder).get();
      }
    };
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.shutdown(0, 2, TimeUnit.SECONDS));
    executor.shutdownNow();
    loops.shutdownGracefully().syncUninterruptibly();
  }
}
