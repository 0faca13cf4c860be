package dev.pawl.console.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitGraphTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void threadsThatWaitForEachOtherAreACycleAndWhoWaitsForThemIsNot() {
    Locks locks =
        new Locks(
            NOW,
            List.of(
                new LockRow("a", List.of(held("n1", "1", "b")), List.of(waits("n2", "2"))),
                new LockRow(
                    "b",
                    List.of(held("n2", "2", "a")),
                    List.of(waits("n1", "1"), waits("n3", "3"))),
                new LockRow("c", List.of(held("n4", "4", "")), List.of(waits("n3", "5")))),
            false);

    WaitGraph graph = WaitGraph.of(locks);

    assertThat(graph.edges())
        .containsExactlyInAnyOrder(
            new WaitGraph.Edge("n2#2", "n1#1", "a", true),
            new WaitGraph.Edge("n1#1", "n2#2", "b", true),
            new WaitGraph.Edge("n3#3", "n2#2", "b", false),
            new WaitGraph.Edge("n3#5", "n4#4", "c", false));
    assertThat(graph.threads())
        .filteredOn(WaitGraph.Vertex::inCycle)
        .extracting(WaitGraph.Vertex::id)
        .containsExactlyInAnyOrder("n1#1", "n2#2");
  }

  @Test
  void aLongQueueIsCutButNotTheCycle() {
    List<LockRow.Waiting> crowd =
        java.util.stream.IntStream.range(0, 1_000).mapToObj(i -> waits("m" + i, "1")).toList();
    Locks locks =
        new Locks(
            NOW,
            List.of(
                new LockRow("a", List.of(held("n0", "9", "")), crowd),
                new LockRow("x", List.of(held("n1", "1", "y")), List.of(waits("n2", "2"))),
                new LockRow("y", List.of(held("n2", "2", "x")), List.of(waits("n1", "1")))),
            false);

    WaitGraph graph = WaitGraph.of(locks);

    assertThat(graph.more()).isTrue();
    assertThat(graph.edges()).hasSize(200).filteredOn(WaitGraph.Edge::inCycle).hasSize(2);
  }

  private static LockRow.Held held(String node, String thread, String waitsFor) {
    return new LockRow.Held(
        node + "/1",
        node,
        "app@" + node,
        new Caller("t", thread, waitsFor),
        true,
        1,
        7,
        NOW,
        NOW,
        Duration.ofSeconds(10));
  }

  private static LockRow.Waiting waits(String node, String thread) {
    return new LockRow.Waiting(
        node + "/2", node, "app@" + node, new Caller("t", thread, ""), true, 1, NOW);
  }
}
