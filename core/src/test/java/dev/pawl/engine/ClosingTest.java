package dev.pawl.engine;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Election;
import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.jobs.NodeCampaign;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.link.Futures;
import dev.pawl.engine.link.Question;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Calls;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A node that is closed while something is under way, or used afterwards. */
class ClosingTest {

  private final PuppetNode node = new PuppetNode(0);
  private final Pawl pawl = new Node(node.engine, true, LockOptions.DEFAULT);

  @Test
  void aSecondCloseDoesNotCloseTheStoreUnderTheFirst() throws Exception {
    PuppetNode patient = new PuppetNode(0, Duration.ofMinutes(1));
    Pawl closed = new Node(patient.engine, true, LockOptions.DEFAULT);
    PuppetNode.lease(patient.call("a", LockOptions.DEFAULT, SECOND));
    patient.heldBack = Set.of("release", "close");
    Thread first = new Thread(closed::close);
    first.start();
    while (first.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    Thread second = new Thread(closed::close);
    second.start();
    second.join();
    assertThat(patient.messages).as("the release").hasSize(1);
    patient.messages.get(0).answer();
    first.join();
    assertThat(patient.messages).as("and the end of the store").hasSize(2);
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

  @Test
  void aClaimThatIsMadeAnewMeanwhileIsFoundUnderItsNewKey() {
    // Whether the new key comes before or after the old one is up to a hash.
    for (int claims = 0; claims < 128; claims += 8) {
      PuppetNode fresh = new PuppetNode(0);
      IntStream.range(0, claims).forEach(i -> fresh.engine.nextClaimId());
      closeWhileClaimsAreMadeAnew(fresh);
    }
  }

  private static void closeWhileClaimsAreMadeAnew(PuppetNode node) {
    Request permit = new Request("s", 1, 1, LockOptions.DEFAULT, OptionalLong.empty());
    PuppetNode.lease(node.neighbour("other").call(permit, 0));
    List<Caller> callers =
        IntStream.range(0, 50).mapToObj(i -> node.call(permit, Caller.NO_DEADLINE)).toList();
    node.heldBack = Set.of("renew");
    node.pass(13 * SECOND / 10);
    node.stall(2 * SECOND); // The store takes them for dead.
    node.messages.forEach(PuppetNode.Message::arrive);
    // When the first of them is refused, the others hear that the store has forgotten them.
    AtomicBoolean told = new AtomicBoolean();
    callers.forEach(
        caller ->
            node.engine
                .link()
                .whenDone(
                    caller.outcome,
                    (outcome, error) -> {
                      if (told.compareAndSet(false, true)) {
                        node.messages.forEach(PuppetNode.Message::answer);
                      }
                    }));

    node.engine.close();

    assertThat(callers).allMatch(caller -> caller.outcome.isDone());
    assertThat(node.engine.namesInUse()).isEmpty();
  }

  @Test
  void aCampaignThatIsClosedWhileItIsStandingStandsNoMore() throws Exception {
    PuppetNode.lease(node.neighbour("other").call("office", LockOptions.DEFAULT, 0));
    CountDownLatch inQueue = new CountDownLatch(1);
    CompletableFuture<Boolean> go = new CompletableFuture<>();
    List<Caller> callers = new CopyOnWriteArrayList<>();
    Thread holdsTheLine =
        new Thread(() -> callers.add(node.call("office", LockOptions.DEFAULT, 60 * SECOND)));
    AtomicInteger readings = new AtomicInteger();
    node.onClock =
        () -> {
          // The first reading is the caller's, the second is made with the lock of the queue held.
          if (Thread.currentThread() == holdsTheLine && readings.incrementAndGet() == 2) {
            inQueue.countDown();
            Futures.awaitDone(go, Long.MAX_VALUE / 2);
          }
        };
    holdsTheLine.start();
    inQueue.await();
    NodeCampaign campaign =
        new NodeCampaign(node.engine, Request.exclusive("office", LockOptions.DEFAULT), term -> {});
    Thread stands = new Thread(campaign::stand);
    stands.start();
    while (stands.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    campaign.close();
    go.complete(true);
    holdsTheLine.join();
    stands.join();

    callers.forEach(new Calls(node.engine)::giveUp);

    assertThat(node.engine.namesInUse()).as("who stands in line").isEmpty();
  }

  @Test
  void aLeaderWhoseCampaignIsClosedKeepsItsTermUntilItsBodyReturns() throws Exception {
    CompletableFuture<Boolean> leads = new CompletableFuture<>();
    CompletableFuture<Boolean> mayReturn = new CompletableFuture<>();
    AtomicReference<Election.Term> term = new AtomicReference<>();
    NodeCampaign campaign =
        new NodeCampaign(
            node.engine,
            Request.exclusive("office", LockOptions.DEFAULT),
            given -> {
              term.set(given);
              leads.complete(true);
              Futures.awaitDone(mayReturn, Long.MAX_VALUE / 2);
            });
    List<Thread> bodies = new ArrayList<>();
    node.bodies =
        body -> {
          bodies.add(new Thread(body));
          bodies.get(0).start();
          Futures.awaitDone(leads, Long.MAX_VALUE / 2);
          campaign.close();
        };

    campaign.stand();

    assertThat(term.get().isHeld()).isTrue();
    mayReturn.complete(true);
    bodies.get(0).join();
    assertThat(term.get().isHeld()).isFalse();
  }

  @Test
  void whoeverWaitsForASilentStoreIsToldAtTheEnd() {
    Job job = pawl.job("sms");
    node.heldBack = Set.of("nowMicros", "release");
    var asks = job.runOrStandBy(Job.every(Duration.ofHours(1)), run -> 1);
    var ends = job.runOrStandBy(Instant.EPOCH, run -> 1);
    assertThat(node.messages).hasSize(2);

    pawl.close();

    assertThat(asks)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
    assertThat(ends)
        .succeedsWithin(Duration.ZERO)
        .isInstanceOfSatisfying(
            Job.Outcome.Failed.class,
            failed -> assertThat(failed.error()).isInstanceOf(OutcomeUnknownException.class));
  }

  @Test
  void aStandbyWhoseTickIsDoneIsToldThoughItsStoreIsAway() {
    Job job = pawl.job("sms");
    assertThat(job.runOrStandBy(Instant.EPOCH, run -> 1)).isCompleted();
    StoreUnavailableException down = new StoreUnavailableException("down", null);
    node.broken = Map.of("registers", down, "journal", down);
    var end = job.runOrStandBy(Instant.EPOCH, run -> 1);
    assertThat(end).as("whether it may run again is asked for").isNotDone();

    pawl.close(); // Then it asks who has run it.

    assertThat(end).succeedsWithin(Duration.ZERO).isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aQuestionThatIsAskedAfterTheCloseIsNotWaitedForWithoutEnd() {
    PuppetNode closed = new PuppetNode(0, Duration.ofMillis(100));
    closed.engine.close();
    CompletableFuture<Long> answered =
        Question.ask(closed.engine.link(), false, LockStore::nowMicros);
    assertThat(answered).as("the store is there").isCompleted();
    closed.heldBack = Set.of("nowMicros");

    CompletableFuture<Long> silent =
        Question.ask(closed.engine.link(), false, LockStore::nowMicros);

    assertThat(silent)
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void aCancelThatIsSentAfterTheCloseIsGivenUp() {
    node.broken = Map.of("cancel", new StoreUnavailableException("closed", null));
    pawl.close();
    ClaimId claim = node.engine.nextClaimId();
    Ending<CancelReply> late =
        new Ending<>(
            node.engine.link(),
            "x",
            SECOND,
            store -> store.cancel(new Command.Cancel("x", claim, true)));

    late.send(false);

    assertThat(late.answer()).as("what an interrupted call waits for").isCompletedExceptionally();
  }
}
