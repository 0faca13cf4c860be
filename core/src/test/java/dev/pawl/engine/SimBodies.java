package dev.pawl.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * The bodies of a simulated node's jobs: each on a thread of its own, for a simulated time, and
 * still one after the other. Whoever starts or wakes a body waits until it sleeps or ends.
 */
final class SimBodies implements Executor {

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "body");
            thread.setDaemon(true);
            return thread;
          });
  private static final ThreadLocal<Body> CURRENT = new ThreadLocal<>();

  private final SimNode node;
  private final List<Body> asleep = new ArrayList<>();

  SimBodies(SimNode node) {
    this.node = node;
  }

  @Override
  public void execute(Runnable action) {
    Body body = new Body();
    THREADS.execute(
        () -> {
          CURRENT.set(body);
          try {
            body.turn.acquireUninterruptibly();
            action.run();
          } catch (Abandoned e) {
            // The world has ended.
          } finally {
            body.back.release();
          }
        });
    body.wake();
  }

  /** Lets simulated time pass in a body; an interrupt meanwhile shows at its end. */
  void sleep(long nanos) throws InterruptedException {
    Body body = CURRENT.get();
    asleep.add(body);
    node.world()
        .in(
            nanos,
            () ->
                node.run(
                    () -> {
                      if (asleep.remove(body)) {
                        body.wake();
                      }
                    }));
    body.back.release();
    body.turn.acquireUninterruptibly();
    if (body.abandoned) {
      throw new Abandoned();
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Ends the threads of bodies that will never be woken. */
  void abandon() {
    for (Body body : List.copyOf(asleep)) {
      body.abandoned = true;
      body.wake();
    }
    asleep.clear();
  }

  private static final class Abandoned extends Error {
    private static final long serialVersionUID = 1;
  }

  private static final class Body {
    final Semaphore turn = new Semaphore(0);
    final Semaphore back = new Semaphore(0);
    volatile boolean abandoned;

    void wake() {
      turn.release();
      back.acquireUninterruptibly();
    }
  }
}
