package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.ForwardingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Calls to a backup that has as many under way as it is allowed. */
class SideTest {

  private long nanos;
  private final List<String> sent = new ArrayList<>();
  private final List<CompletableFuture<String>> answers = new ArrayList<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final Side side =
      Side.ofBackup(
          new Surroundings(
              () -> nanos,
              (delay, task) -> timers.add(new Timer(nanos + delay, task)),
              Runnable::run,
              () -> {}),
          1);

  private record Timer(long atNanos, Runnable task) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      return Long.compare(atNanos, other.atNanos);
    }
  }

  private void pass(long time, TimeUnit unit) {
    nanos += unit.toNanos(time);
    while (!timers.isEmpty() && timers.peek().atNanos() <= nanos) {
      timers.remove().task().run();
    }
  }

  private static Command.Cancel cancel(long number) {
    return new Command.Cancel("x", new ClaimId("node", number), true);
  }

  /** A store whose cancels are answered by {@code answer}. */
  private static LockStore cancelling(Supplier<CompletionStage<CancelReply>> answer) {
    return new ForwardingStore(new MemoryStore()) {
      @Override
      public CompletionStage<CancelReply> cancel(Command.Cancel command) {
        return answer.get();
      }
    };
  }

  private CompletionStage<String> send(String what) {
    sent.add(what);
    CompletableFuture<String> answer = new CompletableFuture<>();
    answers.add(answer);
    return answer;
  }

  @Test
  void whatHasWaitedForTooLongIsNotSentAndWhatEndsSomethingGoesFirst() throws Exception {
    side.onOpened(cancelling(() -> send("ending").thenApply(done -> CancelReply.WAS_GRANTED)));
    var first = side.call(store -> send("first"));
    var late = side.call(store -> send("late")).toCompletableFuture();
    nanos += TimeUnit.MILLISECONDS.toNanos(1_500);
    var inTime = side.call(store -> send("in time"));
    var ending = side.cancel(cancel(1));
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
    assertThat(side.line().waiting()).isZero();
    nanos += TimeUnit.MINUTES.toNanos(1);
    var next = side.call(store -> send("next"));
    assertThat(sent).endsWith("next");
    assertThat(next.toCompletableFuture()).isNotDone();
  }

  @Test
  void aStoreThatFailsEachCallAtOnceIsNotCalledFromWithinItsOwnAnswer() {
    side.onOpened(new MemoryStore());
    side.call(store -> send("first"));
    side.onOpened(
        cancelling(
            () ->
                CompletableFuture.failedFuture(
                    new StoreUnavailableException("the connection is closed", null))));
    List<CompletionStage<?>> endings = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      endings.add(side.cancel(cancel(i)));
    }
    assertThat(side.line().waiting()).isEqualTo(20_000);
    answers.get(0).complete("done");
    assertThat(endings).allMatch(each -> each.toCompletableFuture().isCompletedExceptionally());
    assertThat(side.line().waiting()).isZero();
    assertThat(side.line().underWay()).isZero();
  }

  @Test
  void anEndingThatIsRepeatedWhileItWaitsIsSentOnce() {
    AtomicInteger cancels = new AtomicInteger();
    side.onOpened(
        cancelling(
            () -> {
              cancels.incrementAndGet();
              return CompletableFuture.completedFuture(CancelReply.GONE);
            }));
    side.call(store -> send("first"));
    List<CompletionStage<?>> copies = new ArrayList<>();
    for (int second = 0; second < 8; second++) {
      copies.add(side.cancel(cancel(1)));
      copies.add(side.cancel(cancel(2)));
      pass(1, TimeUnit.SECONDS);
    }
    answers.get(0).complete("done");
    assertThat(cancels).hasValue(2);
    assertThat(copies).allMatch(each -> each.toCompletableFuture().isDone());
    side.cancel(cancel(1));
    assertThat(cancels).as("one that does not wait any more").hasValue(3);
  }

  @Test
  void aCallThatIsAnsweredLeavesNoTimer() {
    side.onOpened(new MemoryStore());
    for (int i = 0; i < 1_000; i++) {
      side.call(store -> send("one"));
      answers.get(i).complete("done");
    }
    assertThat(timers).isEmpty();
  }

  @Test
  void whatIsNotAnsweredIsLookedForByOneTimerWhileOthersWait() {
    side.onOpened(new MemoryStore());
    side.call(store -> send("silent"));
    assertThat(timers).as("nobody waits").isEmpty();
    pass(9, TimeUnit.SECONDS);
    for (int i = 0; i < 1_000; i++) {
      int number = i;
      side.call(store -> send("call " + number));
    }
    assertThat(timers).hasSize(1);
    pass(1, TimeUnit.SECONDS);
    assertThat(sent).containsExactly("silent", "call 0");
    answers.get(0).complete("late");
    assertThat(sent).as("it counted no longer").hasSize(2);
    for (int i = 1; i <= 1_000; i++) {
      answers.get(i).complete("done");
    }
    assertThat(sent).hasSize(1_001);
    assertThat(timers).hasSize(1);
    pass(10, TimeUnit.SECONDS);
    assertThat(timers).isEmpty();
  }
}
