package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.Capability;
import dev.pawl.spi.Grant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** I10: a name nobody uses leaves nothing behind. */
abstract class LeftoverCases extends SpiCases {

  LeftoverCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void nothingIsLeftOfReleasedNames() {
    ScriptedNode a = node("a");
    List<ScriptedClaim> claims = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ScriptedClaim claim = a.claim(name("" + i));
      claim.take();
      claims.add(claim);
    }
    assertThat(suite.leftovers(store(), prefix())).as("while they are held").isPositive();

    claims.forEach(ScriptedClaim::release);

    nothingIsLeft();
  }

  @Test
  void nothingIsLeftOfANameThatWasAskedAboutInVain() {
    ScriptedClaim claim = node("a").claim(name());
    claim.mustBeGone();
    claim.release();
    claim.cancel();

    nothingIsLeft();
  }

  @Test
  void nothingIsLeftOfARefusedClaim() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    ScriptedNode b = node("b");
    for (int i = 0; i < 5; i++) {
      b.claim(name()).beRefused();
    }
    holder.release();

    nothingIsLeft();
  }

  @Test
  void nothingIsLeftOfAHolderThatDied() {
    Grant grant = node("a").claim(name()).lease(suite.shortLease()).take();
    assertThat(grant.token()).isPositive();

    nothingIsLeft();
  }

  @Test
  @Needs(Capability.FAIR)
  void nothingIsLeftOfWaiters() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim leaves = node("b").claim(name());
    ScriptedClaim stays = node("c").claim(name());
    holder.take();
    leaves.enqueue();
    stays.enqueue();
    leaves.cancel();
    holder.release();
    stays.mustHold();
    stays.release();

    nothingIsLeft();
  }

  @Test
  @Needs(Capability.FAIR)
  void nothingIsLeftOfAHolderAndAWaiterThatDied() throws Exception {
    assertThat(briefHold(node("a"), node("b")).waiters()).hasSize(1);

    nothingIsLeft();
  }
}
