package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.PawlException;
import dev.pawl.engine.PuppetNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A name that the store cannot read any more, such as one that another version has written. */
class UnreadableNameTest {

  private final PuppetNode node = new PuppetNode(0);

  @Test
  void itCostsTheLeasesThatAreRenewedWithItNothing() {
    List<HeldLease> leases = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      leases.add(PuppetNode.lease(node.call("name " + i, LockOptions.DEFAULT, 0)));
    }
    node.unreadable = Set.of("name 0", "name 41", "name 42", "name 599");
    node.pass(60 * SECOND);

    assertThat(leases.stream().filter(lease -> !lease.isHeld()).map(HeldLease::name))
        .containsExactlyInAnyOrder("name 0", "name 41", "name 42", "name 599");
  }

  @Test
  void whoWaitsForItIsToldAndDoesNotWaitForever() {
    PuppetNode other = node.neighbour("other");
    HeldLease held = PuppetNode.lease(other.call("name", LockOptions.DEFAULT, 0));
    Caller waiting = node.call("name", LockOptions.DEFAULT, 60 * SECOND);
    Caller patient = node.call("another", LockOptions.DEFAULT, 60 * SECOND);
    node.unreadable = Set.of("name");
    node.pass(5 * SECOND);

    assertThat(held.isHeld()).isTrue();
    assertThat(waiting.outcome.getNow(null))
        .isInstanceOfSatisfying(
            CallResult.Failed.class,
            failed ->
                assertThat(failed.exception().get())
                    .isExactlyInstanceOf(PawlException.class)
                    .hasMessageContaining("another version"));
    assertThat(PuppetNode.lease(patient).isHeld()).isTrue();
  }
}
