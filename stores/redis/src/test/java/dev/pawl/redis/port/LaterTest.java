package dev.pawl.redis.port;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.ListeningCluster;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaterTest {

  private static final Duration SOON = Duration.ofMillis(1);

  @Test
  void whatFindsNoThreadIsNotForgotten() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    CompletableFuture<Integer> done = new CompletableFuture<>();
    Later later =
        new Later(
            task -> {
              if (tries.incrementAndGet() < 3) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              task.run();
            });

    later.run(SOON, () -> done.complete(tries.get()));

    assertThat(done.get(60, TimeUnit.SECONDS)).isEqualTo(3);
  }

  @Test
  void whatAPoolKeptThoughItFoundNoThreadIsDoneOnce() {
    AtomicInteger times = new AtomicInteger();
    CompletableFuture<Void> again = new CompletableFuture<>();
    Later later =
        new Later(
            task -> {
              task.run();
              if (again.complete(null)) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              times.addAndGet(100);
            });

    later.run(SOON, times::incrementAndGet);

    ListeningCluster.until(() -> times.get() >= 100);
    assertThat(times).hasValue(101);
  }
}
