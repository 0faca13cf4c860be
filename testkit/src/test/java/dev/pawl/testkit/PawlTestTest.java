package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a user's code sees when a test takes its lease away. */
class PawlTestTest {

  private final PawlTest store = new PawlTest();
  private final Pawl pawl = Pawl.builder(store).build();
  private final CountDownLatch lost = new CountDownLatch(1);

  @AfterEach
  void end() {
    store.thaw();
    pawl.close();
    store.close();
  }

  private Lease hold(Duration lease) throws InterruptedException {
    LockOptions options = LockOptions.DEFAULT.withLease(lease);
    Lease held = pawl.lock("invoice:42", options).acquire();
    held.onLost(lost::countDown);
    return held;
  }

  private void awaitLoss() throws InterruptedException {
    assertThat(lost.await(1, TimeUnit.MINUTES)).as("lost within a minute").isTrue();
  }

  @Test
  void aStolenLeaseIsLostAtOnceAndTheThiefHasAGreaterToken() throws Exception {
    Lease held = hold(Duration.ofMinutes(10));
    try (Lease stolen = store.steal("invoice:42")) {
      awaitLoss();
      assertThat(held.isHeld()).isFalse();
      assertThat(stolen.isHeld()).isTrue();
      assertThat(stolen.token()).isGreaterThan(held.token());
      assertThatThrownBy(held::ensureHeld).isInstanceOf(LeaseLostException.class);
    }
    pawl.lock("invoice:42").acquire().close();
  }

  @Test
  void theHolderOfAnExpiredLeaseBelievesInItUntilItAsksTheStore() throws Exception {
    Lease held = hold(Duration.ofMinutes(10));
    assertThat(store.expire("invoice:42")).isEqualTo(held.token());
    try (Pawl other = Pawl.builder(store).build();
        Lease next = other.lock("invoice:42").acquire()) {
      assertThat(next.token()).isGreaterThan(held.token());
      assertThat(held.isHeld()).as("held, as far as its node knows").isTrue();
      assertThatThrownBy(held::confirm).isInstanceOf(LeaseLostException.class);
      awaitLoss();
      assertThat(next.isHeld()).isTrue();
    }
  }

  @Test
  void theHolderOfAnExpiredLeaseIsToldByItsHeartbeat() throws Exception {
    hold(Duration.ofSeconds(5));
    store.expire("invoice:42");
    awaitLoss();
  }

  @Test
  void aFrozenNodeLosesItsLeaseWhenItExpiresAndAnotherHasIt() throws Exception {
    Lease held = hold(Duration.ofSeconds(1));
    store.freeze();
    awaitLoss();
    assertThat(held.isHeld()).isFalse();
    try (Pawl other = Pawl.builder(store).build();
        Lease next = other.lock("invoice:42").acquire()) {
      assertThat(next.token()).isGreaterThan(held.token());
    }
  }

  @Test
  void aNodeThatWasFrozenForAMomentKeepsItsLease() throws Exception {
    Lease held = hold(Duration.ofMinutes(10));
    store.freeze();
    store.thaw();
    held.confirm();
    held.close();
  }

  @Test
  void theRunOfAJobIsStolenByItsNameInTheStore() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    // In the common pool, which has one thread on two cores: nothing else may need it meanwhile.
    CompletableFuture<Job.Outcome<Void>> outcome =
        CompletableFuture.supplyAsync(
            () ->
                pawl.job("nightly")
                    .run(
                        Instant.now(),
                        run -> {
                          begun.countDown();
                          new CountDownLatch(1).await();
                        }));
    begun.await();
    store.steal("job:nightly").close();
    assertThat(outcome.get(1, TimeUnit.MINUTES)).isInstanceOf(Job.Outcome.Failed.class);
  }

  @Test
  void aBodyMayStealItsOwnRun() {
    Job.Outcome<Boolean> outcome =
        pawl.job("nightly")
            .run(
                Instant.now(),
                run -> {
                  store.steal("job:nightly").close();
                  return run.isHeld();
                });
    assertThat(outcome).isInstanceOf(Job.Outcome.Failed.class);
  }

  @Test
  void thereIsNothingToTakeFromNobody() {
    assertThatThrownBy(() -> store.steal("free")).hasMessageContaining("\"free\" has 0 holders");
    assertThatThrownBy(() -> store.expire("free")).hasMessageContaining("\"free\" has 0 holders");
  }
}
