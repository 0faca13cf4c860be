package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.jobs.NodeJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Asynchronous calls that are cancelled, or told to wait for ages. */
class CancelledCallTest {

  private final PuppetNode node = new PuppetNode(0);

  @Test
  void aStandbyThatIsCancelledBeforeItsTickIsKnownDoesNotRun() {
    Job job = new NodeJob(node.engine, "sms", LockOptions.DEFAULT, () -> {});
    AtomicInteger runs = new AtomicInteger();
    node.heldBack = Set.of("nowMicros");
    CompletableFuture<?> result =
        job.runOrStandBy(Job.every(Duration.ofMinutes(1)), run -> runs.incrementAndGet());
    result.cancel(false);

    node.messages.get(0).answer();

    assertThat(runs).hasValue(0);
    assertThat(node.server.find("job:sms").toCompletableFuture().join()).isEmpty();
  }

  @Test
  void aStandbyWhoseFutureHasTimedOutStandsByNoMore() {
    HeldLease running =
        PuppetNode.lease(node.neighbour("other").call("job:sms", LockOptions.DEFAULT, 0));
    AtomicInteger runs = new AtomicInteger();
    CompletableFuture<?> result =
        new NodeJob(node.engine, "sms", LockOptions.DEFAULT, () -> {})
            .runOrStandBy(Instant.EPOCH, run -> runs.incrementAndGet());
    node.pass(SECOND);

    result.completeExceptionally(new TimeoutException()); // As orTimeout does.
    running.close();
    node.pass(5 * SECOND);

    assertThat(runs).hasValue(0);
    assertThat(
            node.server.find("job:sms").toCompletableFuture().join().map(LockInfo::holders).stream()
                .flatMap(holders -> holders.stream()))
        .isEmpty();
  }

  @Test
  void aGrantThatArrivesAfterTheCancelIsGivenBack() {
    node.heldBack = Set.of("acquire");
    CompletableFuture<Lease> result =
        new Calls(node.engine)
            .acquireAsync(Request.exclusive("a", LockOptions.DEFAULT), Duration.ofSeconds(60));
    node.messages.get(0).arrive();
    result.cancel(false);
    node.messages.get(0).answer();
    node.pass(SECOND);
    assertThat(
            node.server.find("a").toCompletableFuture().join().map(LockInfo::holders).stream()
                .flatMap(holders -> holders.stream()))
        .isEmpty();
  }

  @Test
  void aCallThatMayWaitForAgesKeepsNobodyElseFromItsTime() {
    HeldLease lease = PuppetNode.lease(node.call("a", LockOptions.DEFAULT, 0));
    PuppetNode.lease(node.neighbour("other").call("b", LockOptions.DEFAULT, 0));
    node.stall(5 * SECOND); // The renewal is late already.

    var unused =
        new Calls(node.engine)
            .acquireAsync(
                Request.exclusive("b", LockOptions.DEFAULT), Duration.ofNanos(Long.MAX_VALUE - 1));
    node.pass(0);

    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(9));
  }
}
