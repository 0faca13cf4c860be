package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.engine.SimNetwork;
import dev.pawl.engine.SimNode;
import dev.pawl.engine.SimServer;
import dev.pawl.engine.World;
import dev.pawl.engine.claims.Request;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A grant that the node hears of when most of its lease is over. */
class LateGrantTest {

  private static final long SECOND = 1_000_000_000;

  private final World world = new World(1);
  private final SimServer server = new SimServer(world, 1.0, (name, claim) -> {});
  private final SimNode node = new SimNode(world, server, "n0", 1.0, SimNetwork.Faults.NONE);

  @Test
  void itIsRenewedByTheAgeOfItsLeaseAndNotByThatOfTheNews() {
    Request request = Request.exclusive("a", LockOptions.DEFAULT.withLease(Duration.ofSeconds(4)));
    Caller caller = new Caller(request, null, false, node.engine.now(), SECOND);
    node.engine.start(caller, false);
    node.pause(29 * SECOND / 10);
    runFor(3 * SECOND);
    HeldLease lease = ((CallResult.Held) caller.outcome.join()).lease();

    for (int second = 0; second < 10; second++) {
      runFor(SECOND);
      assertThat(lease.isHeld()).as("after %s s", second + 4).isTrue();
    }
  }

  private void runFor(long nanos) {
    long end = world.now() + nanos;
    world.in(nanos, () -> {});
    while (world.step(end)) {}
  }
}
