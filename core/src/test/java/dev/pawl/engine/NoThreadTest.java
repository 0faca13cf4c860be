package dev.pawl.engine;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Election;
import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.PawlException;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.jobs.NodeElection;
import dev.pawl.engine.jobs.NodeJob;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Calls;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.time.Timed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** No thread can be made for a moment: nothing is granted to nobody. */
class NoThreadTest {

  private static final Executor NO_THREAD =
      task -> {
        throw new OutOfMemoryError("unable to create native thread");
      };

  private final PuppetNode node = new PuppetNode(0);

  private boolean isHeld(String name) {
    return node.server.find(name).toCompletableFuture().join().stream()
        .anyMatch(info -> !info.holders().isEmpty());
  }

  @Test
  void anElectionGivesUpWhatNobodyCanLeadAndStandsAgain() {
    node.bodies = NO_THREAD;
    List<Long> terms = new ArrayList<>();
    Election.Campaign campaign =
        new NodeElection(node.engine, "boss", LockOptions.DEFAULT)
            .lead(term -> terms.add(term.token()));
    assertThat(isHeld("election:boss")).isFalse();
    assertThat(campaign.isLeading()).isFalse();

    node.bodies = Runnable::run;
    node.pass(2 * SECOND);

    assertThat(terms).isNotEmpty();
    campaign.close();
    assertThat(node.bugs).isEmpty();
  }

  @Test
  void aTickIsGivenBackAndItsCallerIsToldWhy() {
    node.bodies = NO_THREAD;
    Job job = new NodeJob(node.engine, "j", LockOptions.DEFAULT, () -> {});
    CompletableFuture<Job.Outcome<String>> end =
        job.runOrStandBy(Instant.ofEpochSecond(60), run -> "done");

    assertThatThrownBy(end::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(PawlException.class)
        .hasMessageContaining("unable to create native thread");
    assertThat(isHeld("job:j")).isFalse();
  }

  @Test
  void anAsynchronousResultAndAListenerThatFindNoThreadCostNoGrant() {
    node.callbacks = NO_THREAD;
    List<Object> told = new ArrayList<>();
    node.engine.events().listen(told::add);
    var result =
        new Calls(node.engine)
            .acquireAsync(
                Request.exclusive("x", LockOptions.DEFAULT), java.time.Duration.ofSeconds(1));

    assertThat(result).isCompleted();
    result.join().close();
    assertThat(isHeld("x")).isFalse();
    assertThat(node.bugs).isEmpty();
  }

  @Test
  void aLeaseWhoseRenewalFoundNoThreadIsRenewedByTheNext() {
    node.blocking = true;
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    node.renewals = NO_THREAD;
    node.pass(4 * SECOND); // The renewal is due after a third of the lease.

    node.renewals = Runnable::run;
    node.pass(60 * SECOND);

    assertThat(lease.isHeld()).isTrue();
    assertThat(node.bugs).isEmpty();
  }

  @Test
  void aWaiterWhosePollFoundNoThreadPollsAgain() {
    PuppetNode.lease(node.neighbour("other").call("x", LockOptions.DEFAULT, 0));
    node.blocking = true;
    Caller caller = node.call("x", LockOptions.DEFAULT, 300 * SECOND);
    node.renewals = NO_THREAD;
    node.pass(3 * SECOND / 2);

    node.renewals = Runnable::run;
    node.pass(SECOND);

    assertThat(waiters("x")).isEqualTo(1);
    assertThat(caller.outcome).isNotDone();
    assertThat(node.bugs).isEmpty();
  }

  @Test
  void aReleaseThatFoundNoThreadIsSentAgain() {
    node.blocking = true;
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    node.io = NO_THREAD;
    CompletableFuture<Boolean> released = node.engine.releaseAsync(lease);
    assertThat(isHeld("x")).isTrue();

    node.io = Runnable::run;
    node.pass(SECOND);

    assertThat(released).isCompletedWithValue(true);
    assertThat(isHeld("x")).isFalse();
  }

  @Test
  void anAsynchronousCallThatFoundNoThreadAsksAgain() {
    node.blocking = true;
    node.io = NO_THREAD;
    Caller caller = node.call("x", LockOptions.DEFAULT, 60 * SECOND);
    assertThat(caller.outcome).isNotDone();

    node.io = Runnable::run;
    node.pass(2 * SECOND);

    assertThat(PuppetNode.lease(caller).isHeld()).isTrue();
  }

  private int waiters(String name) {
    return node.server.find(name).toCompletableFuture().join().orElseThrow().waiters().size();
  }

  @Test
  void anErrorInOneTimerCostsNoOther() {
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    Timed broken =
        new Timed() {
          @Override
          public void fire(long nowNanos) {
            throw new OutOfMemoryError("for a moment");
          }
        };
    node.engine.timers().set(broken, node.engine.now() + 3 * SECOND);
    node.stall(4 * SECOND); // So that both are due at once.
    node.pass(60 * SECOND);
    assertThat(lease.isHeld()).isTrue();
    assertThat(node.bugs).hasSize(1);
  }
}
