package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.PawlException;
import dev.pawl.engine.PuppetNode;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A store whose methods throw errors, as a driver does that lacks a class. */
class BrokenDriverTest {

  private final Error missing = new NoClassDefFoundError("org/example/Codec");

  private final PuppetNode node = new PuppetNode(0);

  @Test
  void aCallThatItFailsLeavesNobodyInLine() {
    node.broken = Map.of("acquire", missing);
    Caller first = node.call("a", LockOptions.DEFAULT, 60 * SECOND);

    assertThat(first.outcome.getNow(null))
        .isInstanceOfSatisfying(
            CallResult.Failed.class,
            failed ->
                assertThat(failed.exception().get())
                    .isInstanceOf(PawlException.class)
                    .hasCause(missing));
    node.broken = Map.of();
    node.pass(2 * SECOND);
    PuppetNode.lease(node.call("a", LockOptions.DEFAULT, 0));
  }

  @Test
  void aRenewalThatItFailsIsRepeated() {
    HeldLease lease = PuppetNode.lease(node.call("a", LockOptions.DEFAULT, 0));
    node.broken = Map.of("renew", missing);
    node.pass(5 * SECOND);
    node.broken = Map.of();
    node.pass(10 * SECOND);
    assertThat(lease.isHeld()).isTrue();
  }
}
