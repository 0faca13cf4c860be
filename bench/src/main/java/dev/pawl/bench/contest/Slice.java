package dev.pawl.bench.contest;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A stretch of time in which the threads of one process take and free locks as fast as they can.
 *
 * @param startNanos when it begins, by the machine's monotonic clock
 * @param endNanos when it ends; what is not done by then does not count
 */
record Slice(Scenario scenario, int threads, long startNanos, long endNanos) {

  private static final AtomicLong NEW_NAMES = new AtomicLong();

  Tally run(Competitor competitor) throws InterruptedException {
    List<Turn> turns = new ArrayList<>();
    for (int number = 0; number < threads; number++) {
      turns.add(new Turn(competitor, number));
    }
    long cpuBefore = cpuNanos();
    turns.forEach(Thread::start);
    Tally sum = Tally.NONE;
    for (Turn turn : turns) {
      turn.join();
      sum = sum.plus(turn.tally);
    }
    return sum.plus(new Tally(0, cpuNanos() - cpuBefore, 0, ""));
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private String name(int thread) {
    return switch (scenario) {
      case NEW_NAMES -> "new-" + ProcessHandle.current().pid() + "-" + NEW_NAMES.incrementAndGet();
      case OWN_NAMES -> "own-" + thread;
      default -> "one";
    };
  }

  /** One thread's part. */
  private final class Turn extends Thread {

    private final Competitor competitor;
    private final int number;
    private Tally tally = Tally.NONE;

    Turn(Competitor competitor, int number) {
      super("slice-" + number);
      this.competitor = competitor;
      this.number = number;
      setDaemon(true);
    }

    @Override
    public void run() {
      for (long left = startNanos - System.nanoTime(); left > 0; ) {
        LockSupport.parkNanos(left);
        left = startNanos - System.nanoTime();
      }
      long pairs = 0;
      long errors = 0;
      String firstError = "";
      while (System.nanoTime() - endNanos < 0) {
        try {
          competitor.acquire(name(number)).release();
          pairs += System.nanoTime() - endNanos < 0 ? 1 : 0;
        } catch (Exception e) {
          errors++;
          firstError = firstError.isEmpty() ? Tally.describe(e) : firstError;
        }
      }
      tally = new Tally(pairs, 0, errors, firstError);
    }
  }
}
