package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call that is given up at the moment of its grant keeps nothing. */
class LastMomentTest {

  private final Pawl pawl = Pawl.connect("memory:");

  @AfterEach
  void close() {
    pawl.close();
  }

  @Test
  void aThreadThatIsInterruptedAtTheMomentOfTheGrantHoldsNothing() throws Exception {
    Lease granted = pawl.lock("order").acquireAsync(Duration.ZERO).join();
    CompletableFuture<Lease> asked =
        new CompletableFuture<>() {
          @Override
          public Lease get() throws InterruptedException {
            complete(granted);
            throw new InterruptedException();
          }
        };

    assertThatThrownBy(() -> LockedInterceptor.await(asked, "order"))
        .isInstanceOf(InterruptedException.class);

    assertThat(granted.isHeld()).isFalse();
  }

  @Test
  void aSubscriberWhoCancelsAtTheMomentOfTheGrantHoldsNothing() throws Exception {
    Lease granted = pawl.lock("order").acquireAsync(Duration.ZERO).join();
    CompletableFuture<Lease> asked =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterrupt) {
            complete(granted);
            return super.cancel(mayInterrupt);
          }
        };

    ReactiveCalls.granted(() -> asked).subscribe().dispose();

    try (Lease next = pawl.lock("order").acquire(Duration.ofSeconds(30))) { // Closed elsewhere.
      assertThat(next.token()).isGreaterThan(granted.token());
    }
  }

  @Test
  void aSubscriberWhoStaysGetsTheLease() throws Exception {
    try (Lease lease =
        ReactiveCalls.granted(() -> pawl.lock("order").acquireAsync(Duration.ZERO)).block()) {
      assertThat(lease.isHeld()).isTrue();
    }
  }
}
