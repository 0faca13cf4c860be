package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.LockOptions;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.deadlocks.DeadlockWatch;
import dev.pawl.engine.threads.Platform;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * The local queue under every interleaving of callers that come, try and go: it behaves as if they
 * came one after the other to the plain lock of {@link OneAfterTheOther}.
 */
@DisabledForJreRange(
    min = JRE.JAVA_22,
    disabledReason = "Lincheck 3.7 cannot instrument classes of this JDK")
public class LocalQueueLincheckTest {

  /** How long one interleaving may take: what is slow on a busy machine does not hang. */
  private static final long INVOCATION_MILLIS = 120_000;

  private static final Request REQUEST = Request.exclusive("x", LockOptions.DEFAULT);

  private final Engine engine =
      new Engine(
          new MemoryStore(() -> 1_000),
          "node",
          "label",
          Duration.ofSeconds(3),
          new Platform(
              () -> 0,
              (task, delay) -> () -> {},
              Runnable::run,
              Runnable::run,
              Runnable::run,
              Runnable::run,
              Runnable::run,
              Runnable::run,
              () -> 0,
              bug -> {
                throw new AssertionError(bug);
              },
              () -> {}),
          Vigilance.NONE,
          DeadlockWatch::new);

  /** Comes and stands in line, however long it takes. */
  @Operation
  public void stand() {
    engine.start(new Caller(REQUEST, null, false, 0, Caller.NO_DEADLINE), false);
  }

  /** Comes and takes it now or never. */
  @Operation
  public boolean tryNow() {
    Caller caller = new Caller(REQUEST, null, false, 0, 0);
    engine.start(caller, false);
    return caller.outcome.join() instanceof CallResult.Held;
  }

  /** Releases what is held; there is one releaser at a time, as a lease has one owner. */
  @Operation(nonParallelGroup = "owner")
  public boolean release() {
    for (LocalQueue queue : engine.queues()) {
      for (HeldLease held : queue.leases()) {
        engine.releaseInBackground(held);
        return true;
      }
    }
    return false;
  }

  /** What the queue should be: a flag and a number. */
  public static class OneAfterTheOther {
    private boolean held;
    private int line;

    public void stand() {
      if (held) {
        line++;
      }
      held = true;
    }

    public boolean tryNow() {
      boolean free = !held;
      held = true;
      return free;
    }

    public boolean release() {
      boolean wasHeld = held;
      if (line > 0) {
        line--;
      } else {
        held = false;
      }
      return wasHeld;
    }
  }

  /** A specification that nothing can meet, to see that a check can fail. */
  public static class AlwaysFree extends OneAfterTheOther {
    @Override
    public boolean tryNow() {
      return true;
    }
  }

  @Test
  void everyInterleavingIsThatOfAPlainLock() {
    check(OneAfterTheOther.class);
  }

  @Test
  void aQueueThatIsNoPlainLockWouldBeNoticed() {
    assertThatThrownBy(() -> check(AlwaysFree.class)).isInstanceOf(LincheckAssertionError.class);
  }

  private static void check(Class<?> specification) {
    new ModelCheckingOptions()
        .sequentialSpecification(specification)
        .threads(2)
        .actorsPerThread(2)
        .iterations(Integer.getInteger("pawl.lincheck", 3))
        .invocationsPerIteration(30)
        .invocationTimeout$lincheck(INVOCATION_MILLIS)
        .check(LocalQueueLincheckTest.class);
  }

  @Test
  void realThreadsSeeAPlainLock() {
    new StressOptions()
        .sequentialSpecification(OneAfterTheOther.class)
        .threads(3)
        .actorsPerThread(2)
        .iterations(Integer.getInteger("pawl.lincheck", 3))
        .invocationsPerIteration(200)
        .invocationTimeout$lincheck(INVOCATION_MILLIS)
        .check(LocalQueueLincheckTest.class);
  }
}
