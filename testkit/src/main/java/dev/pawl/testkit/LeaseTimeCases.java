package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** More time for a lease, whether it still stands, and a name that is kept after its work. */
abstract class LeaseTimeCases extends ApiCases {

  LeaseTimeCases(StoreConformance suite) {
    super(suite);
  }

  /** Lets the time of a short lease pass. */
  private void outlast(Pawl pawl) throws Exception {
    Lease other = pawl.lock(name("other"), brief().withRenewal(false)).acquire();
    CountDownLatch lost = new CountDownLatch(1);
    other.onLost(lost::countDown);
    assertThat(lost.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aLeaseThatWasExtendedOutlivesItsTime() throws Exception {
    Pawl a = pawl("a");
    Lease lease =
        madeInTime(
            suite.shortLease(),
            name -> {
              Lease extended = a.lock(name, brief().withRenewal(false)).acquire();
              extended.extend(LONG.multipliedBy(4));
              return extended;
            });

    assertThat(lease.remaining()).isBetween(LONG, LONG.multipliedBy(4));
    outlast(a);
    lease.ensureHeld();
    lease.confirm();
    assertThat(pawl("b").lock(lease.name()).tryAcquire()).isEmpty();
    lease.close();
    takenElsewhere(pawl("b"), lease.name());
  }

  @Test
  void aLeaseIsNotShortenedByAnExtension() throws Exception {
    Lease lease = pawl("a").lock(name(), options().withLease(LONG.multipliedBy(4))).acquire();

    lease.extend(Duration.ofMillis(100));
    lease.confirm();

    assertThat(lease.remaining()).isGreaterThan(LONG);
    lease.close();
  }

  @Test
  @Needs({Capability.INSPECT, Capability.EVICT})
  void theStoreSaysThatALeaseStandsNoLonger() throws Exception {
    Pawl a = pawl("a");
    Lease lease = a.lock(name()).acquire();
    lease.confirm();
    assertThat(pawl("b").inspector().forceRelease(name(), lease.token(), "me", "test")).isTrue();

    assertThatThrownBy(lease::confirm).isInstanceOf(LeaseLostException.class);

    assertThat(lease.isHeld()).isFalse();
    assertThatThrownBy(() -> lease.extend(LONG)).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void aNameIsKeptAfterItsLeaseWasClosed() throws Exception {
    isKept(pawl("a"), false);
  }

  @Test
  void aNameStaysKeptWhenTheNodeIsClosed() throws Exception {
    isKept(pawl("a"), true);
  }

  private void isKept(Pawl a, boolean closed) throws Exception {
    Pawl b = pawl("b");
    Duration keep = suite.shortLease().multipliedBy(2);
    AtomicLong start = new AtomicLong();
    Lease lease =
        madeInTime(
            suite.shortLease(),
            name -> {
              Lease kept = a.lock(name, brief()).acquire();
              start.set(System.nanoTime());
              kept.closeAfter(keep);
              return kept;
            });
    if (closed) {
      a.close();
    }

    assertThat(lease.isHeld()).isFalse();
    lease.close();
    Lease next = b.lock(lease.name()).acquire(LONG);
    // By another clock, which may be a little faster.
    assertThat(Duration.ofNanos(System.nanoTime() - start.get()))
        .isGreaterThan(keep.multipliedBy(9).dividedBy(10));
    assertThat(next.token()).isGreaterThan(lease.token());
    next.close();
  }
}
