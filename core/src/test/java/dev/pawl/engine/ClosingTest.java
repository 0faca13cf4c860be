package dev.pawl.engine;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** A node that is closed while something is under way, or used afterwards. */
class ClosingTest {

  private final PuppetNode node = new PuppetNode(0);
  private final Pawl pawl = new Node(node.engine, true, LockOptions.DEFAULT);

  @Test
  void aSecondCloseDoesNotCloseTheStoreUnderTheFirst() throws Exception {
    PuppetNode.lease(node.call("a", LockOptions.DEFAULT, SECOND));
    node.heldBack = Set.of("release", "close");
    Thread first = new Thread(pawl::close);
    first.start();
    while (first.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    Thread second = new Thread(pawl::close);
    second.start();
    second.join();
    assertThat(node.messages).as("the release").hasSize(1);
    node.messages.get(0).answer();
    first.join();
    assertThat(node.messages).as("and the end of the store").hasSize(2);
  }

  @Test
  void aJobOfAClosedNodeSaysSo() {
    Job job = pawl.job("sms");
    pawl.close();
    for (Job.Tick tick : Set.of(new Job.Tick.At(Instant.EPOCH), Job.every(Duration.ofHours(1)))) {
      assertThatThrownBy(() -> job.run(tick, run -> 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
      assertThat(job.runOrStandBy(tick, run -> 1))
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(IllegalStateException.class)
          .withMessageContaining("closed");
    }
  }
}
