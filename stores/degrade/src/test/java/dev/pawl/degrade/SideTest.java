package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls to a backup that has as many under way as it is allowed. */
class SideTest {

  private long nanos;
  private final List<String> sent = new ArrayList<>();
  private final List<CompletableFuture<String>> answers = new ArrayList<>();
  private final Side side =
      new Side(new Surroundings(() -> nanos, (delay, task) -> {}, Runnable::run, () -> {}), 1);

  private CompletionStage<String> send(String what) {
    sent.add(what);
    CompletableFuture<String> answer = new CompletableFuture<>();
    answers.add(answer);
    return answer;
  }

  @Test
  void whatHasWaitedForTooLongIsNotSentAndWhatEndsSomethingGoesFirst() throws Exception {
    side.onOpened(new MemoryStore());
    var first = side.call(store -> send("first"));
    var late = side.call(store -> send("late")).toCompletableFuture();
    nanos += TimeUnit.MILLISECONDS.toNanos(1_500);
    var inTime = side.call(store -> send("in time"));
    var ending = side.end(store -> send("ending"));
    nanos += TimeUnit.SECONDS.toNanos(1);
    answers.get(0).complete("done");
    assertThat(sent).containsExactly("first", "ending");
    answers.get(1).complete("done");
    assertThat(sent).containsExactly("first", "ending", "in time");
    assertThat(late)
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StoreUnavailableException.class)
        .withMessageContaining("backup-calls");
    answers.get(2).complete("done");
    assertThat(List.of(first, inTime, ending))
        .allMatch(each -> each.toCompletableFuture().isDone());
    assertThat(side.waiting()).isZero();
    nanos += TimeUnit.MINUTES.toNanos(1);
    var next = side.call(store -> send("next"));
    assertThat(sent).endsWith("next");
    assertThat(next.toCompletableFuture()).isNotDone();
  }
}
