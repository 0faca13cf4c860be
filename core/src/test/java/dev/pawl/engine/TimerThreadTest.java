package dev.pawl.engine;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.jobs.NodeJob;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Over a driver that blocks: the thread of the timers, on which every lease hangs, never does. */
class TimerThreadTest {

  private final PuppetNode node = new PuppetNode(0);

  @Test
  void theEndOfARunThatFollowsOnATimeOutIsToldElsewhere() {
    node.blocking = true;
    node.broken = Map.of("journal", new StoreUnavailableException("down", null));
    Job job = new NodeJob(node.engine, "sms", LockOptions.DEFAULT, () -> {}).retryElsewhere(1);
    Job.Body<String> body =
        run -> {
          throw new IllegalStateException("no modem");
        };
    CompletableFuture<Job.Outcome<String>> end = job.runOrStandBy(Instant.EPOCH, body);
    assertThat(end).as("how often it has failed is asked for").isNotDone();

    node.pass(4 * SECOND); // Then nobody knows, and that ends the tick.

    assertThat(end.getNow(null)).isInstanceOf(Job.Outcome.Failed.class);
    assertThat(node.server.find("job:sms").toCompletableFuture().join().map(LockInfo::mark))
        .hasValueSatisfying(mark -> assertThat(mark).hasValue(0));
    assertThat(node.bugs).isEmpty();
  }
}
