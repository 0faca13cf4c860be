package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class CallTimeoutsTest {

  private final CallTimeouts timeouts = new CallTimeouts(Duration.ofMillis(200));

  private CompletableFuture<String> call() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    timeouts.add(answer, answer::completeExceptionally);
    return answer;
  }

  @Test
  void aCallThatIsNotAnsweredEndsAndNotBeforeItsTime() {
    long start = System.nanoTime();
    CompletableFuture<String> first = call();
    CompletableFuture<String> second = call();
    for (CompletableFuture<String> each : List.of(first, second)) {
      assertThatThrownBy(() -> each.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(TimeoutException.class);
    }
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(200_000_000);
  }

  @Test
  void oneThatWasAnsweredIsLeftAloneAndLaterOnesStillEnd() {
    CompletableFuture<String> answered = call();
    answered.complete("yes");
    for (int i = 0; i < 2; i++) {
      CompletableFuture<String> silent = call();
      assertThatThrownBy(() -> silent.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(TimeoutException.class);
    }
    assertThat(answered).isCompletedWithValue("yes");
  }
}
