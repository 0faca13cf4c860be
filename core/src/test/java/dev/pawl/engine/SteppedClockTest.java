package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.HeldLease;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A store's clock that is set back, and right again. */
class SteppedClockTest {

  private static final long SECOND = 1_000_000_000;
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final long FIVE_MINUTES_MICROS = 300_000_000;

  private final World world = new World(1);
  private final SimServer server = new SimServer(world, 1.0, (name, claim) -> {});
  private final SimNode node = new SimNode(world, server, "n0", 1.0, SimNetwork.Faults.NONE);

  @Test
  void aNodeCountsOnNoMoreThanItsLeaseAndLearnsOfItsEndAtTheNextRenewal() {
    Request request = Request.exclusive("a", LockOptions.DEFAULT.withLease(LEASE));
    Caller caller = new Caller(request, null, false, node.engine.now(), SECOND);
    node.engine.start(caller, false);
    runFor(SECOND);
    HeldLease lease = ((CallResult.Held) caller.outcome.join()).lease();

    server.skewMicros -= FIVE_MINUTES_MICROS;
    runFor(10 * SECOND);
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.remaining()).isLessThanOrEqualTo(LEASE);

    // By the clock as it should be, the lease has ended: it was never renewed beyond its first end.
    server.skewMicros += FIVE_MINUTES_MICROS;
    runFor(LEASE.toNanos() / 2);
    assertThat(lease.isHeld()).isFalse();
  }

  private void runFor(long nanos) {
    long end = world.now() + nanos;
    world.in(nanos, () -> {});
    while (world.step(end)) {}
  }
}
