package dev.pawl.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.lease.TurnLines.Turn;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TurnLinesTest {

  private static final int CROWD = 100;

  private TurnLines lines = new TurnLines();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final AtomicInteger writes = new AtomicInteger();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  @Test
  void whoeverComesWhileOneIsUnderWayIsServedWithTheNext() throws Exception {
    List<CompletableFuture<Integer>> replies = crowd(false);
    for (int i = 0; i <= CROWD; i++) {
      assertThat(replies.get(i).get(1, TimeUnit.MINUTES)).isEqualTo(i);
    }
    assertThat(writes.get()).as("one, and one for all the others").isEqualTo(2);
  }

  @Test
  void aFailureIsThatOfAllWhoWereServedTogetherAndOfNobodyElse() throws Exception {
    List<CompletableFuture<Integer>> replies = crowd(true);
    assertThat(replies.get(0).get(1, TimeUnit.MINUTES)).isZero();
    for (CompletableFuture<Integer> each : replies.subList(1, CROWD + 1)) {
      assertThat(each)
          .failsWithin(1, TimeUnit.MINUTES)
          .withThrowableThat()
          .withCauseInstanceOf(StoreUnavailableException.class);
    }
    assertThat(take(7, (turns, first) -> answer(turns)).get(1, TimeUnit.MINUTES)).isEqualTo(7);
  }

  /** As without memory for the list of the turns that are next. */
  @Test
  void anErrorBeforeTheTurnsAreTakenLeavesNoNameWithoutALeader() throws Exception {
    lines = new TurnLines(new FailingLines());
    assertThat(take(1, (turns, first) -> answer(turns)))
        .failsWithin(1, TimeUnit.MINUTES)
        .withThrowableThat()
        .withCauseInstanceOf(OutOfMemoryError.class);
    assertThat(take(2, (turns, first) -> answer(turns)).get(1, TimeUnit.MINUTES)).isEqualTo(2);
  }

  @Test
  void anErrorOfALeaderIsThatOfItsTurnsAndOfNobodyElse() throws Exception {
    assertThat(
            take(
                1,
                (turns, first) -> {
                  throw new OutOfMemoryError();
                }))
        .failsWithin(1, TimeUnit.MINUTES)
        .withThrowableThat()
        .withCauseInstanceOf(OutOfMemoryError.class);
    assertThat(take(2, (turns, first) -> answer(turns)).get(1, TimeUnit.MINUTES)).isEqualTo(2);
  }

  /** Lines of which the second that is read throws. */
  @SuppressWarnings("serial")
  private static final class FailingLines extends HashMap<String, ArrayDeque<Turn<?>>> {
    private int reads;

    @Override
    public ArrayDeque<Turn<?>> get(Object name) {
      fail();
      return super.get(name);
    }

    @Override
    public ArrayDeque<Turn<?>> getOrDefault(Object name, ArrayDeque<Turn<?>> other) {
      fail();
      return super.getOrDefault(name, other);
    }

    private void fail() {
      if (++reads == 2) {
        throw new OutOfMemoryError();
      }
    }
  }

  /** One takes its time, and a hundred come meanwhile. */
  private List<CompletableFuture<Integer>> crowd(boolean othersFail) throws Exception {
    List<CompletableFuture<Integer>> replies = new ArrayList<>();
    replies.add(
        take(
            0,
            (turns, first) -> {
              begun.countDown();
              await(goOn);
              answer(turns);
            }));
    assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
    for (int i = 1; i <= CROWD; i++) {
      replies.add(
          take(
              i,
              (turns, first) -> {
                if (othersFail) {
                  throw new StoreUnavailableException("not now", null);
                }
                answer(turns);
              }));
    }
    while (lines.waiting("name") < CROWD) {
      Thread.onSpinWait();
    }
    goOn.countDown();
    return replies;
  }

  private CompletableFuture<Integer> take(int number, TurnLines.Leader leader) {
    return CompletableFuture.supplyAsync(
        () -> {
          Turn<Integer> turn =
              new Turn<>((state, now) -> new Step<>(state, number, List.of()), null);
          lines.take("name", turn, leader);
          return turn.reply().orElseThrow();
        },
        threads);
  }

  private void answer(List<Turn<?>> turns) {
    writes.incrementAndGet();
    for (Turn<?> turn : turns) {
      turn.answer(turn.rule().apply(LockState.EMPTY, 0).reply());
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
