package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is done when the lock has been given back: all of it, and not one inside the other. */
class AfterwardsTest {

  @Test
  void whatOneThrowsCostsNoOther() {
    List<String> done = new ArrayList<>();
    Afterwards after = new Afterwards(false);
    after.add(
        mayBlock -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    after.add(mayBlock -> done.add("the grant of another"));
    assertThatThrownBy(after::run).isInstanceOf(OutOfMemoryError.class);
    assertThat(done).containsExactly("the grant of another");
  }

  @Test
  void whatComesOfItIsDoneAfterItHoweverManyTimes() {
    List<Integer> depths = new ArrayList<>();
    Afterwards after = new Afterwards(false);
    goOn(after, 50, depths);
    after.run();
    assertThat(depths).hasSize(50);
    assertThat(depths.get(49)).as("the depth of the last").isEqualTo(depths.get(1));
  }

  private static void goOn(Afterwards after, int times, List<Integer> depths) {
    after.add(
        mayBlock -> {
          depths.add(new Throwable().getStackTrace().length);
          if (times > 1) {
            assertThat(after.isRunningHere()).isTrue();
            Afterwards next = after.nested();
            goOn(next, times - 1, depths);
            next.run();
          }
        });
  }
}
