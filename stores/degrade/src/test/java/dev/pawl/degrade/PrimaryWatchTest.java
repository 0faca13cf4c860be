package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.degrade.protocol.Sight;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a node takes its primary for dead, and when it has only stood still itself. */
class PrimaryWatchTest {

  private static final Duration DEAD_AFTER = Duration.ofSeconds(3);

  private long nanos;
  private final Side primary =
      Side.ofPrimary(new Surroundings(() -> nanos, (delay, task) -> {}, Runnable::run, () -> {}));
  private final PrimaryWatch watch = new PrimaryWatch(primary, DEAD_AFTER.toNanos());

  PrimaryWatchTest() {
    primary.onOpened(new MemoryStore());
    watch.look(nanos);
  }

  private Sight lookAfter(Duration time) {
    nanos += time.toNanos();
    watch.look(nanos);
    return watch.sight();
  }

  @Test
  void aPrimaryThatHasNotAnsweredForSoLongIsDead() {
    for (int look = 1; look < 15; look++) {
      assertThat(lookAfter(Duration.ofMillis(200))).isEqualTo(Sight.WELL);
    }
    assertThat(lookAfter(Duration.ofMillis(200))).isEqualTo(Sight.DEAD);
  }

  @Test
  void anAnswerBeginsItAnew() {
    assertThat(lookAfter(Duration.ofSeconds(1))).isEqualTo(Sight.WELL);
    assertThat(lookAfter(Duration.ofSeconds(1))).isEqualTo(Sight.WELL);
    var answer = primary.now(store -> CompletableFuture.completedFuture("here"));
    assertThat(answer).isCompletedWithValue("here");
    assertThat(lookAfter(Duration.ofSeconds(1))).isEqualTo(Sight.WELL);
    assertThat(lookAfter(Duration.ofSeconds(1))).isEqualTo(Sight.WELL);
    assertThat(lookAfter(Duration.ofSeconds(1))).isEqualTo(Sight.WELL);
    assertThat(lookAfter(Duration.ofSeconds(1))).isEqualTo(Sight.DEAD);
    var again = primary.now(store -> CompletableFuture.completedFuture("here"));
    assertThat(again).isCompletedWithValue("here");
    assertThat(lookAfter(Duration.ofMillis(200))).isEqualTo(Sight.WELL);
  }

  @Test
  void aNodeThatStoodStillAsksForAWhileBeforeItSaysSo() {
    assertThat(lookAfter(Duration.ofMinutes(5))).isEqualTo(Sight.WELL);
    // What it sent on waking has not had the time to be answered, however often it looks.
    for (int look = 0; look < 10; look++) {
      assertThat(lookAfter(Duration.ofMillis(1))).isEqualTo(Sight.WELL);
    }
    assertThat(lookAfter(Duration.ofMillis(990))).isEqualTo(Sight.WELL);
    assertThat(lookAfter(Duration.ofSeconds(1))).isEqualTo(Sight.DEAD);
  }

  @Test
  void aShortTimeTakesItsLooksAndNoMore() {
    var hasty = new PrimaryWatch(primary, Duration.ofMillis(100).toNanos());
    hasty.look(nanos);
    for (int look = 1; look <= PrimaryWatch.LEAST_LOOKS; look++) {
      assertThat(hasty.sight()).isEqualTo(Sight.WELL);
      nanos += Duration.ofMillis(200).toNanos();
      hasty.look(nanos);
    }
    assertThat(hasty.sight()).isEqualTo(Sight.DEAD);
  }
}
