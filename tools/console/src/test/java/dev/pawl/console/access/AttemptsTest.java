package dev.pawl.console.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AttemptsTest {

  private final AtomicLong millis = new AtomicLong(1_000_000);
  private final Attempts attempts = new Attempts(millis::get);

  @Test
  void theWaitDoublesUpToAMinuteAndASuccessEndsIt() {
    for (int i = 0; i < 3; i++) {
      assertThat(attempts.begin("olga", "10.0.0.1")).isEmpty();
    }
    Duration before = Duration.ofMillis(500);
    for (int i = 0; i < 10; i++) {
      Duration wait = attempts.begin("olga", "10.0.0.1").orElseThrow();
      assertThat(wait).isGreaterThanOrEqualTo(before).isLessThanOrEqualTo(Duration.ofMinutes(1));
      before = wait;
      millis.addAndGet(wait.toMillis());
      assertThat(attempts.begin("olga", "10.0.0.1")).isEmpty();
    }
    assertThat(before).isEqualTo(Duration.ofMinutes(1));
    attempts.succeeded("olga", "10.0.0.1");
    assertThat(attempts.begin("olga", "10.0.0.1")).isEmpty();
  }

  @Test
  void anAddressThatTriesManyNamesWaitsToo() {
    for (int i = 0; i < 3; i++) {
      assertThat(attempts.begin("user" + i, "10.0.0.1")).isEmpty();
    }
    assertThat(attempts.begin("user9", "10.0.0.1")).isPresent();
    assertThat(attempts.begin("user9", "10.0.0.2")).isEmpty();
  }
}
