package dev.pawl.console;

import dev.pawl.DeadlockException;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Two threads of two nodes that wait for each other, and again when one of them has given up. */
final class Deadlock implements AutoCloseable {

  private final CyclicBarrier both = new CyclicBarrier(2);
  private final List<Thread> threads;

  Deadlock(Pawl one, Pawl two) {
    threads =
        List.of(
            new Thread(() -> run(one, "left", "right"), "mover-1"),
            new Thread(() -> run(two, "right", "left"), "mover-2"));
    threads.forEach(Thread::start);
  }

  private void run(Pawl pawl, String first, String second) {
    try {
      while (true) {
        both.await();
        Lease held = pawl.lock(first).acquire();
        try {
          both.await();
          pawl.lock(second).acquire().close(); // The other one has given up.
        } catch (DeadlockException e) {
          Thread.onSpinWait(); // Once more.
        } finally {
          held.close();
        }
      }
    } catch (InterruptedException | BrokenBarrierException | PawlException e) {
      // It is closed.
    }
  }

  List<String> names() {
    return List.of("left", "right");
  }

  @Override
  public void close() throws InterruptedException {
    for (Thread thread : threads) {
      thread.interrupt();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
