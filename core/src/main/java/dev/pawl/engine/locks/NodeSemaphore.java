package dev.pawl.engine.locks;

import dev.pawl.DistributedSemaphore;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** A semaphore of a node. */
public final class NodeSemaphore implements DistributedSemaphore {

  private final Calls calls;
  private final String name;
  private final int capacity;
  private final LockOptions options;

  public NodeSemaphore(Engine engine, String name, int capacity, LockOptions options) {
    this.calls = new Calls(engine);
    this.name = name;
    this.capacity = capacity;
    this.options = options;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public Lease acquire(int permits) throws InterruptedException {
    return calls.acquire(request(permits));
  }

  @Override
  public Lease acquire(int permits, Duration wait) throws InterruptedException {
    return calls.acquire(request(permits), wait);
  }

  @Override
  public Optional<Lease> tryAcquire(int permits) {
    return calls.tryAcquire(request(permits));
  }

  @Override
  public Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException {
    return calls.tryAcquire(request(permits), wait);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(int permits, Duration wait) {
    return calls.acquireAsync(request(permits), wait);
  }

  private Request request(int permits) {
    if (permits < 1 || permits > capacity) {
      throw new IllegalArgumentException(
          "permits is "
              + permits
              + "; of semaphore "
              + Names.quote(name)
              + " allowed is 1 to "
              + capacity);
    }
    return new Request(name, permits, capacity, options, OptionalLong.empty());
  }

  @Override
  public String toString() {
    return "semaphore " + Names.quote(name) + " of " + capacity;
  }
}
