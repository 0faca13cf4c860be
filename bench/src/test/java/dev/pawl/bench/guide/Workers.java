package dev.pawl.bench.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Threads that stand for other processes, and the check that one of them works at a time. */
final class Workers implements AutoCloseable {

  /** What one of them does: it calls the work once, under its lock. */
  @FunctionalInterface
  interface Version {
    void work(Consumer<String> work) throws Exception;
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger atWork = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();

  <T> Future<T> begin(Callable<T> action) {
    return threads.submit(action);
  }

  <T> T elsewhere(Callable<T> action) throws Exception {
    try {
      return begin(action).get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** Runs these versions beside each other, each as often, and finds two at work if there are. */
  void beside(int times, Version... versions) throws Exception {
    done.set(0);
    List<Future<?>> all = new ArrayList<>();
    for (Version version : versions) {
      all.add(
          begin(
              () -> {
                for (int i = 0; i < times; i++) {
                  version.work(this::alone);
                }
                return null;
              }));
    }
    for (Future<?> each : all) {
      each.get(120, TimeUnit.SECONDS);
    }
    assertThat(done).hasValue(times * versions.length);
  }

  private void alone(String who) {
    assertThat(atWork.incrementAndGet()).as(who + " is alone").isEqualTo(1);
    Thread.onSpinWait();
    done.incrementAndGet();
    atWork.decrementAndGet();
  }

  static void until(Callable<Boolean> state) throws Exception {
    long start = System.nanoTime();
    while (!state.call()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(60));
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  /** The page of the guide shows the code that is tested here. */
  static void assertShown(String page, String type) throws Exception {
    String source =
        Files.readString(Path.of("src/test/java/dev/pawl/bench/guide/" + type + ".java"));
    assertThat(Files.readString(Path.of("../docs/guide/" + page)))
        .contains(source.substring(source.indexOf("import ")).strip());
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
