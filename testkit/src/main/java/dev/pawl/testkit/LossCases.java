package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockEvent;
import dev.pawl.Pawl;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** I2: a node knows when it has lost a lease, and says so. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
abstract class LossCases extends ApiCases {

  LossCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aLeaseWithoutRenewalEnds() throws Exception {
    Pawl a = pawl("a");
    Lease lease = a.lock(name(), brief().withRenewal(false)).acquire();
    CountDownLatch lost = new CountDownLatch(1);
    lease.onLost(lost::countDown);

    assertThat(lost.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

    isLost(lease);
    assertThat(takenElsewhere(pawl("b"), name())).isGreaterThan(lease.token());
  }

  @Test
  void aLossIsToldOnceAndToThoseWhoComeLateAtOnce() throws Exception {
    Lease lease = pawl("a").lock(name(), brief().withRenewal(false)).acquire();
    AtomicInteger told = new AtomicInteger();
    lease.onLost(told::incrementAndGet);
    eventually("it is told", () -> told.get() > 0);
    CountDownLatch late = new CountDownLatch(1);

    lease.onLost(late::countDown);

    assertThat(late.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(told).hasValue(1);
  }

  @Test
  void aLeaseThatWasClosedIsNeverLost() throws Exception {
    Pawl a = pawl("a");
    AtomicInteger told =
        madeInTime(
            suite.shortLease(),
            name -> {
              AtomicInteger count = new AtomicInteger();
              Lease closed = a.lock(name, brief()).acquire();
              closed.onLost(count::incrementAndGet);
              closed.close();
              closed.onLost(count::incrementAndGet);
              return count;
            });

    // The loss of another lease, taken later and for as long, stands for the time to wait.
    Lease other = a.lock(name("other"), brief().withRenewal(false)).acquire();
    CountDownLatch lost = new CountDownLatch(1);
    other.onLost(lost::countDown);
    assertThat(lost.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

    assertThat(told).hasValue(0);
  }

  @Test
  void aLossIsAnEvent() throws Exception {
    Pawl a = pawl("a");
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    a.listen(events::add);
    Lease lease = a.lock(name(), brief().withRenewal(false)).acquire();

    eventually(
        "the loss is an event", () -> events.stream().anyMatch(LockEvent.Lost.class::isInstance));

    assertThat(events)
        .anySatisfy(
            event -> {
              assertThat(event).isInstanceOf(LockEvent.Lost.class);
              assertThat(event.name()).isEqualTo(name());
              assertThat(((LockEvent.Lost) event).token()).isEqualTo(lease.token());
              assertThat(((LockEvent.Lost) event).reason()).isNotBlank();
            });
  }

  @Test
  void aThreadThatLostItsLockIsToldWhenItUnlocks() throws Exception {
    Pawl a = pawl("a");
    var lock = a.lock(name(), brief().withRenewal(false));
    lock.lock();
    eventually("it is lost", () -> !lock.isHeldByCurrentThread());

    assertThatThrownBy(lock::token).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);

    assertThat(lock.holdCount()).isZero();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    var again = a.lock(name()); // For longer: it is not to be lost as well.
    assertThat(again.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    again.unlock();
  }

  @Test
  void aThreadThatFoundItsLockLostTakesItAgain() throws Exception {
    Pawl a = pawl("a");
    var lock = a.lock(name(), brief().withRenewal(false));
    lock.lock();
    CountDownLatch told = new CountDownLatch(1);
    lock.onLost(told::countDown);
    assertThat(told.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(lock.remaining()).isZero();
    if (lock.isHeldByCurrentThread()) {
      lock.unlock();
    }

    var again = a.lock(name()); // For longer: it is not to be lost as well.
    assertThat(again.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(again.holdCount()).isEqualTo(1);
    again.unlock();
  }

  static void isLost(Lease lease) {
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::ensureHeld)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(lease.name());
    assertThatThrownBy(lease::close)
        .as("the close of a lost lease")
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(lease.name())
        .hasMessageContaining("" + lease.token());
    lease.close(); // The second close does nothing.
  }
}
