package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Locks taken without blocking a thread. */
abstract class AsyncCases extends ApiCases {

  AsyncCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aFreeLockIsGranted() throws Exception {
    Lease lease = get(pawl("a").lock(name()).acquireAsync(LONG));

    assertThat(lease.isHeld()).isTrue();
    lease.close();
    nobodyIsLeft();
  }

  @Test
  void aFutureIsCompletedWhenTheLockIsReleased() throws Exception {
    Lease lease = pawl("a").lock(name()).acquire();
    CompletableFuture<Lease> future = pawl("b").lock(name()).acquireAsync(LONG);
    assertThat(future).isNotDone();

    lease.close();

    Lease next = get(future);
    assertThat(next.token()).isGreaterThan(lease.token());
    next.close();
  }

  @Test
  void aFutureFailsWhenTheTimeIsUp() throws Exception {
    Lease lease = pawl("holder-of-it").lock(name()).acquire();
    CompletableFuture<Lease> future = pawl("b").lock(name()).acquireAsync(Duration.ofMillis(150));

    assertThatThrownBy(() -> get(future))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("holder-of-it");

    lease.close();
    takenElsewhere(pawl("c"), name());
    nobodyIsLeft();
  }

  @Test
  void aCancelledFutureGivesUpItsPlace() throws Exception {
    Lease lease = pawl("a").lock(name()).acquire();
    CompletableFuture<Lease> future = pawl("b").lock(name()).acquireAsync(LONG);

    assertThat(future.cancel(true)).isTrue();
    lease.close();

    assertThat(takenElsewhere(pawl("c"), name())).isGreaterThan(lease.token());
    nobodyIsLeft();
  }

  @Test
  void aFutureCancelledAtAnyMomentLosesNoLock() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Lease> future = a.lock(name()).acquireAsync(LONG);
      if (i % 2 == 0) {
        future.cancel(false);
      }
      if (!future.isCancelled()) {
        get(future).close();
      }
    }
    takenElsewhere(b, name());
    nobodyIsLeft();
  }

  @Test
  void aLeaseTakenThisWayBelongsToNoThread() throws Exception {
    Pawl a = pawl("a");
    Lease lease = get(a.lock(name()).acquireAsync(LONG));

    assertThat(a.lock(name()).tryAcquire(Duration.ofMillis(50))).isEmpty();

    lease.close();
  }

  @Test
  void manyFuturesAreServedOneAfterTheOther() throws Exception {
    List<Pawl> nodes = List.of(pawl("a"), pawl("b"));
    List<CompletableFuture<Lease>> futures = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      futures.add(nodes.get(i % 2).lock(name()).acquireAsync(LONG));
    }
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      CompletableFuture<Object> first =
          CompletableFuture.anyOf(futures.toArray(CompletableFuture[]::new));
      Lease lease = (Lease) first.get(LONG.toSeconds(), TimeUnit.SECONDS);
      assertThat(futures.stream().filter(CompletableFuture::isDone)).hasSize(1);
      futures.removeIf(CompletableFuture::isDone);
      tokens.add(lease.token());
      lease.close();
    }
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    nobodyIsLeft();
  }

  private static Lease get(CompletableFuture<Lease> future) throws Exception {
    return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }
}
