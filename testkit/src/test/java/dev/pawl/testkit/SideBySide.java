package dev.pawl.testkit;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Runs of the suite beside each other: they wait more than they work. */
final class SideBySide implements AutoCloseable {

  private static final int AT_A_TIME = 8;

  private final ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
  private final Map<String, Future<Trial.Result>> runs = new HashMap<>();

  void start(String name, Supplier<Trial.Result> run) {
    runs.put(name, threads.submit(run::get));
  }

  Trial.Result result(String name) throws InterruptedException {
    try {
      return runs.get(name).get();
    } catch (ExecutionException e) {
      throw new AssertionError(name + " could not be run", e.getCause());
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
