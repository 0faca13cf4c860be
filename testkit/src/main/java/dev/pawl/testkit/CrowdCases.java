package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockMachine;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Grant;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A crowd on one name: more nodes than wait near each other, and each has its turn. */
abstract class CrowdCases extends SpiCases {

  private static final int NODES = 24;

  /** A waiter that shows no sign of life for longer than this may lose its place. */
  private static final Duration ALIVE =
      Duration.of(LockMachine.WAITER_ALIVE_MICROS, ChronoUnit.MICROS);

  CrowdCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  @Needs(Capability.FAIR)
  void aCrowdIsQueuedAsItCameAndServedToTheLast() throws Exception {
    List<ScriptedNode> nodes = new ArrayList<>();
    for (int i = 0; i <= NODES; i++) {
      nodes.add(node("node-" + i));
    }
    inTime(
        ALIVE,
        name -> {
          ScriptedClaim holder = nodes.get(0).claim(name);
          List<ScriptedClaim> waiters = new ArrayList<>();
          Grant grant = holder.take();
          for (ScriptedNode node : nodes.subList(1, nodes.size())) {
            ScriptedClaim waiter = node.claim(name);
            assertThat(waiter.enqueue().ahead())
                .as("ahead of %s", waiter)
                .isEqualTo(waiters.size());
            waiters.add(waiter);
          }

          for (ScriptedClaim next : waiters) {
            holder.release();
            Grant granted = next.mustHold();
            assertThat(granted.token()).as("token").isGreaterThan(grant.token());
            grant = granted;
            holder = next;
          }
          holder.release();
        });

    nothingIsLeft();
  }

  @Test
  @Needs(Capability.FAIR)
  void whoLeavesTheMiddleOfACrowdKeepsNobodyBack() throws Exception {
    List<ScriptedNode> nodes = new ArrayList<>();
    for (int i = 0; i <= NODES; i++) {
      nodes.add(node("node-" + i));
    }
    inTime(
        ALIVE,
        name -> {
          ScriptedClaim holder = nodes.get(0).claim(name);
          holder.take();
          List<ScriptedClaim> waiters = new ArrayList<>();
          for (ScriptedNode node : nodes.subList(1, nodes.size())) {
            ScriptedClaim waiter = node.claim(name);
            waiter.enqueue();
            waiters.add(waiter);
          }
          for (ScriptedClaim each : waiters.subList(1, NODES - 1)) {
            each.cancel();
          }

          holder.release();
          ScriptedClaim first = waiters.get(0);
          first.mustHold();
          first.release();
          ScriptedClaim last = waiters.get(NODES - 1);
          last.mustHold();
          last.release();
        });
  }
}
