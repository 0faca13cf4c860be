package dev.pawl.engine.link;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.jobs.NodeJob;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is asked of a store that does not answer at once. */
class QuestionTest {

  private final PuppetNode node = new PuppetNode(0);

  @Test
  void anOutageIsRetriedWithinTheTimeOfACall() {
    node.broken = Map.of("nowMicros", new StoreUnavailableException("down", null));
    CompletableFuture<Long> answer = ask();
    node.pass(SECOND);
    assertThat(answer).isNotDone();
    node.broken = Map.of();
    node.pass(SECOND);
    assertThat(answer).isCompleted();
    assertThat(node.engine.timers().size()).isZero();
  }

  @Test
  void anOutageThatLastsIsReportedAsWhatItIs() {
    StoreUnavailableException down = new StoreUnavailableException("down", null);
    node.broken = Map.of("nowMicros", down);
    CompletableFuture<Long> answer = ask();
    node.pass(3 * SECOND);
    assertThat(answer).isCompletedExceptionally();
    assertThat(answer.handle((value, error) -> error).join()).isSameAs(down);
  }

  @Test
  void aSilentStoreIsAskedAgain() {
    node.heldBack = Set.of("nowMicros");
    CompletableFuture<Long> answer = ask();
    node.pass(SECOND);
    assertThat(node.messages).hasSize(2);
    node.messages.get(1).answer();
    assertThat(answer).isCompleted();
    assertThat(node.engine.timers().size()).isZero();
  }

  @Test
  void whatMustNotBeDoneTwiceIsSentOnce() {
    node.heldBack = Set.of("nowMicros");
    CompletableFuture<Long> answer =
        Question.askOnce(node.engine.link(), false, LockStore::nowMicros);
    node.pass(3 * SECOND);
    assertThat(node.messages).hasSize(1);
    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void aTickOfAPeriodIsRunThoughTheStoreWasSilentAtFirst() {
    node.heldBack = Set.of("find");
    Job job = new NodeJob(node.engine, "sms", LockOptions.DEFAULT, () -> {});
    CompletableFuture<Job.Outcome<String>> outcome =
        job.runOrStandBy(Job.every(Duration.ofMinutes(1)), run -> "sent");
    node.pass(SECOND);
    node.messages.get(1).answer();
    assertThat(outcome.getNow(null)).isInstanceOf(Job.Outcome.Ran.class);
  }

  private CompletableFuture<Long> ask() {
    return Question.ask(node.engine.link(), false, LockStore::nowMicros);
  }
}
