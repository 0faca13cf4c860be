package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LockEvent;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What a user is told who does not get the lock, and in which order those who wait do. */
abstract class ContentionCases extends ApiCases {

  private static final Duration A_MOMENT = Duration.ofMillis(120);

  ContentionCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aTimeOutSaysWhoHoldsTheLockSinceWhenAndForHowLong() throws Exception {
    try (Lease lease = pawl("holder-of-it").lock(name()).acquire()) {
      String message = timeOut(pawl("b").lock(name()));

      assertThat(message)
          .contains(name())
          .contains("holder-of-it")
          .containsPattern("for \\d+ m?s")
          .containsPattern("\\d+ m?s left")
          .containsPattern("\\b0 wait");
      lease.ensureHeld();
    }
  }

  @Test
  @Needs(Capability.FAIR)
  void aTimeOutSaysHowManyWaitAhead() throws Exception {
    inTime(
        ALIVE,
        name -> {
          Lease lease = pawl("holder-of-it").lock(name).acquire();
          Pawl b = pawl("b");
          Background<Lease> first = Background.startAndBlock("first", () -> b.lock(name).acquire());
          waitsInTheStore(name, "b");

          String message = timeOut(pawl("c").lock(name));

          assertThat(message).contains("holder-of-it").containsPattern("\\b1 wait");
          lease.close();
          first.result().close();
        });
  }

  @Test
  void aTimeOutWithinOneNodeSaysWhichThread() throws Exception {
    Pawl a = pawl("this-node");
    Background<Lease> holder =
        Background.start("the-holding-thread", () -> a.lock(name()).acquire());
    Lease lease = holder.result();

    assertThat(timeOut(a.lock(name()))).contains("this-node").contains("the-holding-thread");

    lease.close();
  }

  @Test
  @Needs(Capability.FAIR)
  void nodesAreServedInTheOrderTheyCame() throws Exception {
    inTime(
        ALIVE,
        name -> {
          Lease lease = pawl("a").lock(name).acquire();
          List<String> served = new CopyOnWriteArrayList<>();
          List<String> order = List.of("first", "second", "third");
          List<Background<Void>> waiting = new ArrayList<>();
          for (String label : order) {
            Pawl node = pawl(label);
            waiting.add(
                Background.startAndBlock(
                    label,
                    () -> {
                      try (Lease mine = node.lock(name).acquire(LONG)) {
                        served.add(label);
                        mine.ensureHeld();
                      }
                      return null;
                    }));
            waitsInTheStore(name, label);
          }

          lease.close();

          for (Background<Void> each : waiting) {
            each.result();
          }
          assertThat(served).containsExactlyElementsOf(order);
        });
  }

  @Test
  void whatHappensIsAnEvent() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    List<LockEvent> ofA = new CopyOnWriteArrayList<>();
    List<LockEvent> ofB = new CopyOnWriteArrayList<>();
    a.listen(ofA::add);
    b.listen(ofB::add);
    Lease lease = a.lock(name()).acquire();
    long token = lease.token();
    assertThat(b.lock(name()).tryAcquire()).isEmpty();
    lease.close();

    eventually("a hears of its release", () -> ofA.size() == 2);
    eventually("b hears of its refusal", () -> ofB.size() == 1);
    // Listeners are called by an executor, in whatever order it likes.
    assertThat(ofA)
        .anySatisfy(
            event -> {
              LockEvent.Acquired acquired = Replies.as(LockEvent.Acquired.class, event);
              assertThat(acquired.token()).isEqualTo(token);
              assertThat(acquired.passed()).isFalse();
            })
        .anySatisfy(
            event ->
                assertThat(Replies.as(LockEvent.Released.class, event).token()).isEqualTo(token));
    assertThat(ofB.get(0)).isInstanceOf(LockEvent.Refused.class);
    assertThat(ofB.get(0).name()).isEqualTo(name());
  }

  private static String timeOut(DistributedLock lock) throws InterruptedException {
    try (Lease lease = lock.acquire(A_MOMENT)) {
      throw new AssertionError("should have timed out, and got " + lease);
    } catch (LockTimeoutException e) {
      return "" + e.getMessage();
    }
  }
}
