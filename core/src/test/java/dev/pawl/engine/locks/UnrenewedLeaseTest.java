package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.engine.SimNetwork;
import dev.pawl.engine.SimNode;
import dev.pawl.engine.SimServer;
import dev.pawl.engine.World;
import dev.pawl.engine.claims.Request;
import dev.pawl.machine.LockState;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** In simulated time: a lease that is not renewed, and what its store is told of it. */
class UnrenewedLeaseTest {

  private static final long SECOND = 1_000_000_000;

  private final World world = new World(1);
  private final SimServer server = new SimServer(world, 1.0, (name, claim) -> {});
  private final SimNode node = new SimNode(world, server, "n0", 1.0, SimNetwork.Faults.NONE);
  private final AtomicInteger sent = new AtomicInteger();

  private HeldLease take() {
    Request request =
        Request.exclusive(
            "a", LockOptions.DEFAULT.withLease(Duration.ofSeconds(10)).withRenewal(false));
    Caller caller = new Caller(request, null, false, node.engine.now(), SECOND);
    node.engine.start(caller, false);
    runFor(SECOND);
    node.network.onSend = sent::incrementAndGet;
    return ((CallResult.Held) caller.outcome.join()).lease();
  }

  @Test
  void itEndsInItsTimeThoughTheStoreIsToldSomething() {
    HeldLease lease = take();
    long until = holder().untilMicros();

    node.run(() -> lease.tellNow());
    runFor(SECOND);

    assertThat(sent).as("messages").hasValue(1);
    assertThat(holder().untilMicros()).isEqualTo(until);
    assertThat(lease.isHeld()).isTrue();
    runFor(8 * SECOND);
    assertThat(lease.isHeld()).isFalse();
    assertThat(sent).as("that, a look at each third, and the release").hasValue(4);
  }

  @Test
  void whatTheStoreWasNotToldIsSaidAgain() {
    HeldLease lease = take();
    node.network.faults = new SimNetwork.Faults(100, 0, 0, 0, 0);
    node.run(() -> lease.claim().queue().downgrade(lease));
    runFor(SECOND);
    assertThat(holder().permits()).isGreaterThan(1);

    node.network.faults = SimNetwork.Faults.NONE;
    runFor(3 * SECOND);

    assertThat(holder().permits()).as("a writer that has become a reader").isEqualTo(1);
    assertThat(lease.isHeld()).isTrue();
  }

  private LockState.Holder holder() {
    return server.names.get("a").holders().get(0);
  }

  private void runFor(long nanos) {
    long end = world.now() + nanos;
    world.in(nanos, () -> {});
    while (world.step(end)) {}
  }
}
