package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.claims.Request;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a thread that has lost its lock is told, and that it is not told for ever. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
class LostHoldTest {

  private static final LockOptions BRIEF =
      LockOptions.DEFAULT.withLease(Duration.ofSeconds(1)).withRenewal(false);

  private final PuppetNode node = new PuppetNode(0);
  private final NodeLock lock = lock(BRIEF);

  private NodeLock lock(LockOptions options) {
    return new NodeLock(node.engine, Request.exclusive("x", options));
  }

  private void lose() {
    node.pass(2 * SECOND);
  }

  @Test
  void aThreadThatAsksBeforeItUnlocksMayLockAgain() {
    lock.lock();
    lose();
    if (lock.isHeldByCurrentThread()) {
      lock.unlock();
    }
    NodeLock normal = lock(LockOptions.DEFAULT);
    normal.lock();
    assertThat(normal.isHeldByCurrentThread()).isTrue();
    assertThat(normal.holdCount()).isEqualTo(1);
    normal.unlock();
    assertThat(node.engine.holds().size()).isZero();
  }

  @Test
  void aThreadThatDoesNotKnowIsToldOnceWhenItEntersAgain() {
    lock.lock();
    lose();
    assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
    lock.lock();
    assertThat(lock.holdCount()).isEqualTo(1);
    lock.unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void everyUnlockOfALostHoldSaysSo() {
    lock.lock();
    lock.lock();
    lose();
    assertThat(lock.holdCount()).isZero();
    assertThat(lock.remaining()).isZero();
    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void aHoldThatIsOverButNotYetNoticedIsReported() {
    lock.lock();
    node.stall(2 * SECOND);
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    lock.lock();
    lock.unlock();
  }

  @Test
  void aReaderThatLostItsLockMayWrite() {
    NodeLock reading = new NodeLock(node.engine, Request.shared("x", BRIEF));
    reading.lock();
    lose();
    assertThat(reading.isHeldByCurrentThread()).isFalse();
    lock.lock();
    lock.unlock();
  }

  @Test
  @Timeout(60)
  void aWriterThatLostItsLockAndReadsIsRefusedToWriteAtOnce() {
    lock.lock();
    lose();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    NodeLock reading = new NodeLock(node.engine, Request.shared("x", LockOptions.DEFAULT));
    reading.lock();
    assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(DeadlockException.class);
    assertThat(lock.tryLock()).as("which does not wait").isFalse();
    reading.unlock();
  }

  @Test
  void aThreadIsToldOfTheLossAndHowMuchTimeIsLeft() {
    assertThatThrownBy(lock::remaining).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(() -> lock.onLost(() -> {}))
        .isInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    List<String> told = new ArrayList<>();
    lock.onLost(() -> told.add("lost"));
    assertThat(lock.remaining()).isBetween(Duration.ofMillis(900), Duration.ofSeconds(1));
    lose();
    assertThat(told).containsExactly("lost");
    assertThat(lock.remaining()).isZero();
  }

  @Test
  void aThreadThatEndsLeavesNothingBehind() throws Exception {
    Thread thread = new Thread(lock::lock);
    thread.start();
    thread.join();
    assertThat(node.engine.holds().size()).isEqualTo(1);
    lose();
    node.pass(20 * SECOND);
    assertThat(node.engine.holds().size()).isZero();
    assertThat(node.engine.timers().size()).isZero();
  }

  @Test
  void aLossThatWasToldIsForgottenAfterAnHour() {
    lock.lock();
    lose();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    node.pass(1_800 * SECOND);
    assertThat(node.engine.holds().size()).isEqualTo(1);
    node.pass(1_900 * SECOND);
    assertThat(node.engine.holds().size()).isZero();
    assertThat(node.engine.timers().size()).isZero();
  }

  @Test
  void aHoldIsExtendedAndItsThreadIsToldIfItIsTooLate() {
    lock.lock();
    lock.extend(Duration.ofSeconds(30));
    assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(25));
    lose();
    lock.confirm();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    node.pass(60 * SECOND);
    assertThatThrownBy(() -> lock.extend(Duration.ofSeconds(30)))
        .isInstanceOf(LeaseLostException.class);
    lock.lock(); // It was told.
    lock.unlock();
  }

  @Test
  void aHoldThatWasReleasedByForceIsNotConfirmed() {
    lock.lock();
    assertThat(node.server.evict(new Command.Evict("x", lock.token()))).isNotNull();
    assertThatThrownBy(lock::confirm).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void onlyTheThreadThatHoldsItAsksForMore() {
    assertThatThrownBy(lock::confirm).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(() -> lock.extend(Duration.ofSeconds(1)))
        .isInstanceOf(IllegalMonitorStateException.class);
  }
}
