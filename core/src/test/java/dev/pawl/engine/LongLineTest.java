package dev.pawl.engine;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** More calls at once than a driver that blocks answers in the time of a call. */
class LongLineTest {

  private static final int NAMES = 30;

  private final PuppetNode node = new PuppetNode(0);
  private final Queue<Runnable> line = new ArrayDeque<>();

  LongLineTest() {
    node.blocking = true;
    node.io = line::add;
  }

  private Caller[] callForEachName(long waitNanos) {
    return IntStream.range(0, NAMES)
        .mapToObj(i -> node.call("name " + i, LockOptions.DEFAULT, waitNanos))
        .toArray(Caller[]::new);
  }

  @Test
  void whoStandsInLineIsServedWhenItsTurnComes() {
    for (Caller caller : callForEachName(60 * SECOND)) {
      node.pass(SECOND);
      line.remove().run();
      Duration left = PuppetNode.lease(caller).remaining();
      assertThat(left)
          .as("a lease from when it was asked for")
          .isGreaterThan(Duration.ofSeconds(9));
    }
    assertThat(line).isEmpty();
    assertThat(node.engine.namesInUse()).hasSize(NAMES);
  }

  @Test
  void behindCallsThatAreNotAnsweredItIsNotToldLaterThanAnyOther() {
    Caller[] callers = callForEachName(60 * SECOND);
    node.pass(SECOND);
    line.remove().run();
    node.pass(4 * SECOND);
    for (int i = 1; i < NAMES; i++) {
      assertThat(callers[i].outcome.getNow(null))
          .isInstanceOfSatisfying(
              CallResult.Failed.class,
              failed ->
                  assertThat(failed.exception().get()).isInstanceOf(OutcomeUnknownException.class));
    }
  }
}
