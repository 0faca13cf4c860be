package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.UnreliableStore.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** I2, I5, I8, I11: what a user notices of a network that fails. */
abstract class UnreliableCases extends ApiCases {

  /** How long a node bears a silent store, where it is to find it silent. */
  private static final Duration RESPONSE = Duration.ofMillis(600);

  UnreliableCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void anOutageIsNotContention() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    Pawl cut = impatient(network);
    network.become(Mode.REFUSING);

    List<String> names = new ArrayList<>();
    names.add(isUnavailable(cut, DistributedLock::tryAcquire));
    names.add(isUnavailable(cut, DistributedLock::tryLock));
    names.add(isUnavailable(cut, lock -> lock.acquire(LONG)));

    network.become(Mode.GOOD);
    for (String name : names) {
      takenElsewhere(pawl("b"), name);
    }
    inTime(RESPONSE, name -> cut.lock(name).tryAcquire().orElseThrow().close());
  }

  private interface Call {
    Object of(DistributedLock lock) throws Exception;
  }

  /** A call that is told of the outage, if the machine is not too slow to tell it. */
  private String isUnavailable(Pawl cut, Call call) throws Exception {
    return madeInTime(
        RESPONSE.plusMillis(100),
        name -> {
          assertThatThrownBy(() -> call.of(cut.lock(name)))
              .isInstanceOf(StoreUnavailableException.class)
              .hasMessageContaining(name);
          return name;
        });
  }

  @Test
  void aStoreThatDoesNotAnswerLeavesNoLockBehind() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    Pawl cut = impatient(network);
    LockOptions anHour = options().withLease(Duration.ofHours(1));
    network.become(Mode.SILENT);

    assertThatThrownBy(() -> cut.lock(name(), anHour).tryAcquire())
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining(name());

    // It took the lock without hearing of it; once it can, it gives it back.
    network.become(Mode.GOOD);
    assertThat(takenElsewhere(pawl("b"), name())).isPositive();
  }

  @Test
  void aLostReplyToAnAcquireIsNotALostLock() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    Pawl flaky = node(network);
    network.loseReplies(1);

    Lease lease = flaky.lock(name()).acquire();

    lease.ensureHeld();
    assertThat(pawl("b").lock(name()).tryAcquire()).isEmpty();
    lease.close();
    pawl("c").lock(name()).tryAcquire().orElseThrow().close();
  }

  @Test
  void aLostReplyToAReleaseIsNotALoss() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    Pawl flaky = node(network);
    Lease lease = flaky.lock(name()).acquire();
    network.loseReplies(1);

    lease.close();

    assertThat(pawl("b").lock(name()).tryAcquire().orElseThrow().token())
        .isGreaterThan(lease.token());
  }

  @Test
  void aLateCopyOfAnAcquireTakesNothing() throws Exception {
    CompletableFuture<CancelReply> given = new CompletableFuture<>();
    UnreliableStore network =
        new UnreliableStore(
            new ForwardingStore(store()) {
              @Override
              public CompletionStage<CancelReply> cancel(Command.Cancel command) {
                CompletionStage<CancelReply> answer = super.cancel(command);
                var unused = answer.thenAccept(given::complete);
                return answer;
              }
            });
    Pawl cut = impatient(network);
    network.become(Mode.DELAYING);
    assertThatThrownBy(() -> cut.lock(name()).tryAcquire())
        .isInstanceOf(OutcomeUnknownException.class);
    network.become(Mode.GOOD);
    eventually("the claim is given up", given::isDone);
    Pawl b = pawl("b");
    takenElsewhere(b, name());

    Replies.of(network.deliverWhatWasDelayed());

    b.lock(name()).tryAcquire().orElseThrow().close();
  }

  @Test
  void aReleaseThatCannotBeDeliveredIsRepeated() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    Pawl cut = impatient(network);
    LockOptions anHour = options().withLease(Duration.ofHours(1));
    Lease lease = madeInTime(RESPONSE, name -> cut.lock(name, anHour).acquire());
    network.become(Mode.REFUSING);

    lease.close();
    network.become(Mode.GOOD);

    assertThat(takenElsewhere(pawl("b"), lease.name())).isGreaterThan(lease.token());
  }

  @Test
  void aShortOutageDoesNotCostTheLease() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    CountingStore sent = new CountingStore(network);
    Pawl cut = node(sent);
    Duration length = Duration.ofSeconds(15); // Ten seconds of it are left for a late renewal.
    Lease lease = cut.lock(name(), options().withLease(length)).acquire();
    long start = System.nanoTime();
    network.become(Mode.REFUSING);
    eventually("a renewal has failed", () -> sent.count(CountingStore.Call.RENEW) > 0);

    network.become(Mode.GOOD);

    eventually(
        "it lasts for longer than it would have without a renewal",
        () -> {
          lease.ensureHeld();
          Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
          return elapsed.plus(lease.remaining()).compareTo(length.plusSeconds(1)) > 0;
        });
    lease.close();
  }

  @Test
  void aNodeThatIsCutOffKnowsItBeforeAnotherIsGranted() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    Pawl cut = node(network);
    Pawl b = pawl("b");
    Lease lease = cut.lock(name(), brief()).acquire();
    CountDownLatch lost = new CountDownLatch(1);
    lease.onLost(lost::countDown);
    network.become(Mode.REFUSING);
    network.becomeDeaf();

    try (Lease next = b.lock(name()).acquire(LONG)) {
      assertThat(lease.isHeld()).as("while another holds it").isFalse();
      assertThat(next.token()).isGreaterThan(lease.token());
    }

    assertThat(lost.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    LossCases.isLost(lease);
    network.become(Mode.GOOD); // So that the end of the node is not waited for.
  }

  @Test
  void aNodeThatHearsNoSignalsFindsItsGrantByAsking() throws Exception {
    UnreliableStore network = new UnreliableStore(store());
    Pawl deaf = node(network);
    network.becomeDeaf();
    Lease lease = pawl("b").lock(name()).acquire();
    Background<Lease> waiting =
        Background.startAndBlock("waiting", () -> deaf.lock(name()).acquire(LONG));

    lease.close();

    Lease next = waiting.result();
    assertThat(next.token()).isGreaterThan(lease.token());
    next.close();
  }

  /** A node that bears a machine that stalls. */
  private Pawl node(LockStore network) {
    return closedAtTheEnd(Pawl.builder(network).label("unreliable").responseTimeout(LONG).build());
  }

  private Pawl impatient(LockStore network) {
    return closedAtTheEnd(
        Pawl.builder(network).label("unreliable").responseTimeout(RESPONSE).build());
  }
}
