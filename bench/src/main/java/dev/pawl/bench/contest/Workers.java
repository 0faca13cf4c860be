package dev.pawl.bench.contest;

import java.util.ArrayList;
import java.util.List;

/**
 * The processes of one contest, started together; each opens a competitor when it first needs it.
 */
final class Workers implements AutoCloseable {

  private final List<WorkerProcess> processes = new ArrayList<>();

  Workers(Suite suite, String address, int count) {
    for (int i = 0; i < count; i++) {
      processes.add(WorkerProcess.start(suite, address));
    }
    processes.forEach(Workers::checkClock);
  }

  /** The monotonic clock of Linux is one for all processes; a JVM may have another. */
  private static void checkClock(WorkerProcess process) {
    process.ask("clock"); // It is up.
    long before = System.nanoTime();
    long there = Long.parseLong(process.ask("clock")[0]);
    long after = System.nanoTime();
    if (there - before < 0 || after - there < 0) {
      throw new IllegalStateException(
          "System.nanoTime() is not the same in two processes here: times between processes cannot"
              + " be measured");
    }
  }

  WorkerProcess get(int number) {
    return processes.get(number);
  }

  List<WorkerProcess> first(int count) {
    return processes.subList(0, count);
  }

  int size() {
    return processes.size();
  }

  @Override
  public void close() {
    processes.parallelStream().forEach(WorkerProcess::close);
  }
}
