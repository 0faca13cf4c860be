package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
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
    Waiter waiter = new Waiter(request, null, false, node.engine.now(), SECOND);
    node.engine.start(waiter, false);
    node.pause(29 * SECOND / 10);
    runFor(3 * SECOND);
    HeldLease lease = ((Outcome.Held) waiter.outcome.join()).lease();

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
