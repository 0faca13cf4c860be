package dev.pawl.bench.crowd;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of a crowd. It says {@code ready}, waits for a line, does its part for that many
 * milliseconds, and prints what came of it: {@code served N}, {@code lost N}, {@code error TEXT},
 * {@code turn ACQUIRED RELEASED} (by the monotonic clock that the processes share), {@code done}.
 */
public final class Client {

  static final int CAPACITY = 4;
  static final long HOLD_NANOS = 20_000_000;

  /**
   * Processes whose hand-overs are measured take and free for that long first: a service is warm.
   */
  private static final long WARM_UP_NANOS = 8_000_000_000L;

  private static final int WARM_UP_CALLERS = 16;

  private static final int OTHER_LEASES = 1_000;
  private static final String NAME = "crowd";

  private final Situation situation;
  private final Library library;
  private final int nodes;
  private final int callers;
  private final LongAdder served = new LongAdder();
  private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();
  private final Queue<String> turns = new ConcurrentLinkedQueue<>();
  private volatile boolean moving;
  private volatile boolean over;

  private Client(Situation situation, Library library, int nodes, int callers) {
    this.situation = situation;
    this.library = library;
    this.nodes = nodes;
    this.callers = callers;
  }

  /** Serves one situation: its id, the entrant, and the server's address. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // What a library prints is no answer.
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Situation situation = Situation.of(arguments[0]);
    int nodes = situation.nodes / situation.processes;
    Library library = Entrant.valueOf(arguments[1]).open(arguments[2], nodes);
    new Client(situation, library, nodes, situation.callers / situation.processes).run(in, out);
    System.exit(0); // What still waits is given up with the process.
  }

  private void run(BufferedReader in, PrintStream out) throws Exception {
    List<Library.Hold> held = new ArrayList<>();
    if (situation == Situation.READERS) {
      for (int i = 0; i < callers; i++) {
        held.add(library.read(i % nodes, NAME));
      }
    } else if (situation == Situation.THREADS) {
      for (int i = 0; i < OTHER_LEASES; i++) {
        held.add(library.lock(0, "other-" + i));
      }
    }
    if (situation.isSemaphore() || situation.isWaitingNodes()) {
      warmUp();
    }
    if (situation.isWaitingNodes()) {
      start(this::wander); // They wait from the start; what is measured first is their waiting.
    }
    out.println("ready");
    long end = after(in.readLine());
    if (situation.isSemaphore() || situation == Situation.THREADS) {
      start(situation == Situation.THREADS ? this::lockAndUnlock : this::useAPermit);
    }
    restUntil(end);
    if (situation.isWaitingNodes()) {
      out.println("rested");
      end = after(in.readLine());
      moving = true;
      restUntil(end);
    }
    over = true;
    report(held, out);
  }

  /** Uses another name without holding it, so that what is measured is compiled. */
  private void warmUp() throws InterruptedException {
    long end = System.nanoTime() + WARM_UP_NANOS;
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < WARM_UP_CALLERS; i++) {
      int node = i % nodes;
      Thread caller =
          new Thread(
              () -> {
                while (System.nanoTime() - end < 0) {
                  try {
                    warmUpOnce(node);
                  } catch (Exception e) {
                    count(e);
                  }
                }
              });
      caller.start();
      callers.add(caller);
    }
    for (Thread caller : callers) {
      caller.join();
    }
  }

  private void warmUpOnce(int node) throws Exception {
    Library.Hold hold =
        situation.isSemaphore()
            ? library.permit(node, "warm-up", CAPACITY)
            : library.lock(node, "warm-up");
    hold.release();
  }

  /** That many milliseconds from now: also while the callers are being started, who are served. */
  private static long after(String millis) {
    return System.nanoTime() + Long.parseLong(millis) * 1_000_000;
  }

  private static void restUntil(long end) {
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void report(List<Library.Hold> held, PrintStream out) throws Exception {
    int lost = 0;
    for (Library.Hold hold : held) {
      lost += hold.isHeld() ? 0 : 1;
    }
    out.println("served " + served.sum());
    out.println("lost " + lost);
    new TreeMap<>(errors).forEach((text, count) -> out.println("error " + count + " x " + text));
    turns.forEach(out::println);
    out.println("done");
  }

  /** Starts the callers, and returns when all of them run. */
  private void start(Body body) throws InterruptedException {
    CountDownLatch running = new CountDownLatch(callers);
    AtomicInteger numbers = new AtomicInteger();
    for (int i = 0; i < callers; i++) {
      Thread caller =
          new Thread(
              () -> {
                int node = numbers.getAndIncrement() % nodes;
                running.countDown();
                while (!over) {
                  try {
                    body.run(node);
                  } catch (Exception e) {
                    count(e);
                  }
                }
              });
      caller.setDaemon(true);
      caller.start();
    }
    running.await();
  }

  private void count(Exception e) {
    if (!over) {
      errors.computeIfAbsent(e.getClass().getSimpleName(), text -> new LongAdder()).increment();
    }
  }

  private void useAPermit(int node) throws Exception {
    Library.Hold permit = library.permit(node, NAME, CAPACITY);
    LockSupport.parkNanos(HOLD_NANOS);
    if (!over) {
      served.increment();
    }
    permit.release();
  }

  private void lockAndUnlock(int node) throws Exception {
    Library.Hold lock = library.lock(node, NAME);
    if (!over) {
      served.increment();
    }
    lock.release();
  }

  /** Holds until it is time to move, then passes the lock on, and queues again. */
  private void wander(int node) throws Exception {
    Library.Hold lock = library.lock(node, NAME);
    long acquired = System.nanoTime();
    while (!moving && !over) {
      LockSupport.parkNanos(1_000_000);
    }
    LockSupport.parkNanos(5_000_000);
    long released = System.nanoTime();
    if (!over) {
      turns.add("turn " + acquired + " " + released);
    }
    lock.release();
  }

  /** What a caller does again and again. */
  private interface Body {

    void run(int node) throws Exception;
  }
}
