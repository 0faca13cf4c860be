package dev.pawl.engine.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The node's timers: fire in order, never early, and leave nothing behind. */
class TimerQueueTest {

  private final List<Long> wakeUps = new ArrayList<>();
  private final List<Runnable> tasks = new ArrayList<>();
  private final List<Timed> fired = new ArrayList<>();
  private long now;
  private boolean failing;
  private final TimerQueue timers =
      new TimerQueue(
          () -> now,
          (task, delay) -> {
            if (failing) {
              throw new OutOfMemoryError("not now");
            }
            wakeUps.add(now + delay);
            tasks.add(task);
            int index = tasks.size() - 1;
            return () -> wakeUps.set(index, Long.MAX_VALUE);
          },
          fired::addAll);

  private static final class Bell extends Timed {
    @Override
    public void fire(long nowNanos) {}
  }

  /** Lets time pass up to a moment, with every wake-up that was asked for on the way. */
  private void passTo(long moment) {
    for (int next = earliest(moment); next >= 0; next = earliest(moment)) {
      now = Math.max(now, wakeUps.get(next));
      wakeUps.set(next, Long.MAX_VALUE);
      tasks.get(next).run();
    }
    now = moment;
  }

  private int earliest(long moment) {
    return IntStream.range(0, wakeUps.size())
        .filter(i -> wakeUps.get(i) <= moment)
        .boxed()
        .min(Comparator.comparingLong(wakeUps::get))
        .orElse(-1);
  }

  @Test
  void timersFireInOrderAndCancelledOnesDoNot() {
    SplittableRandom random = new SplittableRandom(42);
    for (int round = 0; round < 200; round++) {
      List<Bell> bells = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        Bell bell = new Bell();
        bells.add(bell);
        timers.set(bell, now + 1 + random.nextInt(1_000));
      }
      List<Bell> left = new ArrayList<>(bells);
      for (Bell bell : bells) {
        int dice = random.nextInt(3);
        if (dice == 0) {
          timers.cancel(bell);
          timers.cancel(bell);
          left.remove(bell);
        } else if (dice == 1) {
          timers.set(bell, now + 1 + random.nextInt(1_000));
        }
      }
      fired.clear();
      passTo(now + 2_000);
      assertThat(fired).containsExactlyInAnyOrderElementsOf(left);
      assertThat(fired).isSortedAccordingTo(Comparator.comparingLong(timed -> timed.dueNanos));
      assertThat(timers.size()).isZero();
      tasks.clear();
      wakeUps.clear();
    }
  }

  @Test
  void nothingFiresEarly() {
    Bell bell = new Bell();
    timers.set(bell, 100);
    passTo(99);
    assertThat(fired).isEmpty();
    passTo(100);
    assertThat(fired).containsExactly(bell);
  }

  @Test
  void aTimerThatIsSetAndCancelledOverAndOverAsksForOneWakeUp() {
    for (int i = 0; i < 1_000; i++) {
      Bell bell = new Bell();
      timers.set(bell, 1_000 + i);
      timers.cancel(bell);
    }
    assertThat(wakeUps).isEqualTo(Collections.singletonList(1_000L));
  }

  @Test
  void aTimerThatIsFarAwayIsNotScheduledAnewForEachThatIsNear() {
    timers.set(new Bell(), 1_000_000);
    for (int i = 0; i < 1_000; i++) {
      timers.set(new Bell(), now + 10);
      passTo(now + 20);
    }
    assertThat(fired).hasSize(1_000);
    assertThat(wakeUps.stream().filter(at -> at != Long.MAX_VALUE)).hasSize(1);
  }

  @Test
  void anEarlierTimerReplacesTheWakeUpAndTheOldOneIsIgnored() {
    Bell late = new Bell();
    Bell early = new Bell();
    timers.set(late, 100);
    timers.set(early, 50);
    passTo(200);
    assertThat(fired).containsExactly(early, late);
    assertThat(wakeUps).hasSize(3).containsOnly(Long.MAX_VALUE);
  }

  /** As where no memory is left for a moment; an older wake-up stands. */
  @Test
  void aWakeUpThatCannotBeSetIsNotTheLast() {
    timers.set(new Bell(), 100);
    failing = true;
    Bell early = new Bell();
    assertThatThrownBy(() -> timers.set(early, 50)).isInstanceOf(OutOfMemoryError.class);
    failing = false;
    passTo(60);
    assertThat(fired).as("nothing wakes it").isEmpty();

    Bell next = new Bell();
    timers.set(next, 70);
    passTo(70);
    assertThat(fired).containsExactly(early, next);
    passTo(100);
    assertThat(fired).hasSize(3);
  }

  @Test
  void whatIsDueFiresAlsoWhereTheNextWakeUpCannotBeSet() {
    timers.set(new Bell(), 50);
    Bell late = new Bell();
    timers.set(late, 100);
    failing = true;
    assertThatThrownBy(() -> passTo(50)).isInstanceOf(OutOfMemoryError.class);
    assertThat(fired).hasSize(1);
    failing = false;
    timers.set(new Bell(), 200);
    passTo(200);
    assertThat(fired).hasSize(3);
  }

  @Test
  void theWakeUpBeforeOneThatCouldNotBeSetFiresBoth() {
    timers.set(new Bell(), 100);
    failing = true;
    assertThatThrownBy(() -> timers.set(new Bell(), 50)).isInstanceOf(OutOfMemoryError.class);
    failing = false;
    passTo(100);
    assertThat(fired).hasSize(2);
  }
}
