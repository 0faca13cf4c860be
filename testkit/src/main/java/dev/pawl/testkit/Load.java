package dev.pawl.testkit;

import dev.pawl.Lease;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Threads that take names over and over while something happens to the store: no two at a time may
 * hold one, and tokens rise.
 */
public final class Load implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final long LOOK_NANOS = 20_000_000;

  private final List<String> names = new ArrayList<>();
  private final List<AtomicLong> tokens = new ArrayList<>();
  private final List<AtomicLong> holds = new ArrayList<>();
  private final List<AtomicReference<Lease>> holders = new ArrayList<>();
  private final List<AtomicReference<String>> failures = new ArrayList<>();
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /** Starts so many threads of each node, which take so many names. */
  public Load(List<Pawl> nodes, int names, int threadsOfEach) {
    for (int i = 0; i < names; i++) {
      this.names.add("load " + i);
      tokens.add(new AtomicLong());
      holds.add(new AtomicLong());
      holders.add(new AtomicReference<>());
      failures.add(new AtomicReference<>("none"));
    }
    for (Pawl node : nodes) {
      for (int i = 0; i < threadsOfEach; i++) {
        Random random = new Random(threads.size());
        threads.add(new Thread(() -> run(node, random)));
      }
    }
    threads.forEach(Thread::start);
  }

  private void run(Pawl node, Random random) {
    while (!stopped) {
      int index = random.nextInt(names.size());
      try {
        Optional<Lease> lease =
            node.lock(names.get(index)).tryAcquire(Duration.ofMillis(random.nextInt(2_000)));
        if (lease.isPresent()) {
          hold(index, lease.get());
        }
      } catch (StoreUnavailableException | OutcomeUnknownException e) {
        // What is tested is what happens when the store fails.
        failures.get(index).set(Instant.now() + " " + e.getMessage());
      } catch (PawlException e) {
        if (!stopped) {
          violations.add(names.get(index) + ": " + e);
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void hold(int index, Lease lease) {
    String name = names.get(index);
    try (lease) {
      Lease other = holders.get(index).getAndSet(lease);
      if (other != null && other.isHeld() && lease.isHeld()) {
        violations.add(name + " is held with " + other.token() + " and " + lease.token());
      }
      long last = tokens.get(index).getAndAccumulate(lease.token(), Math::max);
      // A thread that was stalled comes after the next holder, and then its lease is lost.
      if (last >= lease.token() && lease.isHeld()) {
        violations.add(name + " got " + lease.token() + " after " + last);
      }
      holds.get(index).incrementAndGet();
      holders.get(index).compareAndSet(lease, null);
    } catch (PawlException e) {
      // The lease was lost while it was held, which is told.
    }
  }

  /** Returns what must not be. */
  public List<String> violations() {
    return List.copyOf(violations);
  }

  /** Waits until every name was held so many times more than it was. */
  public void awaitHolds(String when, int more) {
    long[] before = holds.stream().mapToLong(AtomicLong::get).toArray();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!IntStream.range(0, before.length).allMatch(i -> taken(i, before) >= more)) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            IntStream.range(0, before.length)
                .mapToObj(i -> names.get(i) + ": " + taken(i, before) + ", " + failures.get(i))
                .collect(Collectors.joining("\n", "not every name is taken " + when + "\n", "")));
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private long taken(int index, long[] before) {
    return holds.get(index).get() - before[index];
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
