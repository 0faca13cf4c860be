package dev.pawl.console.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is read once for all pages goes on being read. */
@Timeout(60)
class SharedTest {

  private static final Duration PACE = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  @Test
  void whatIsThrownByOneReadDoesNotEndTheReading() {
    AtomicInteger reads = new AtomicInteger();
    try (Shared<Integer> shared =
        new Shared<>(
            "numbers",
            PACE,
            () -> {
              if (reads.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return reads.get();
            })) {
      assertThatThrownBy(() -> shared.fresh(Duration.ZERO, PATIENCE))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the log of the console says why");
      assertThat(shared.latest().trouble()).map(Trouble::code).contains("bug");
      assertThat(shared.fresh(Duration.ZERO, PATIENCE)).isEqualTo(2);
    }
  }

  @Test
  void norDoesAPageThatCannotBeTold() throws Exception {
    CountDownLatch told = new CountDownLatch(3);
    try (Shared<Integer> shared = new Shared<>("numbers", PACE, () -> 1)) {
      Runnable end =
          shared.watch(
              () -> {
                told.countDown();
                throw new OutOfMemoryError("unable to create native thread");
              });
      told.await();
      end.run();
    }
  }

  @Test
  void aJournalThatCouldNotBeReadIsReadAgain() {
    NameJournals journals = new NameJournals();
    History history = new History(Instant.EPOCH, List.of(), List.of(), List.of());
    assertThatThrownBy(
            () ->
                journals.read(
                    "x",
                    history,
                    () -> {
                      throw new OutOfMemoryError("unable to create native thread");
                    }))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(journals.read("x", history, List::of)).isEmpty();
  }
}
