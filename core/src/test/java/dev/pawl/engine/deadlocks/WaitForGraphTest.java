package dev.pawl.engine.deadlocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Walks through who waits for whom, over what a store would show. */
class WaitForGraphTest {

  private final Map<String, List<LockInfo.Holder>> names = new HashMap<>();
  private final Map<String, String> local = new HashMap<>();
  private final List<String> lookedUp = new ArrayList<>();

  @Test
  void aNameNobodyHoldsIsTheEndOfTheWay() {
    assertThat(cycle("free", "n1", 1)).isNull();
    held("free", "n2", 2, null, 0);
    assertThat(cycle("free", "n1", 1)).as("a holder that waits for nothing").isNull();
  }

  @Test
  void twoThreadsThatWaitForEachOtherAreACircle() {
    held("a", "n1", 1, "b", 10);
    held("b", "n2", 2, "a", 20);

    WaitForGraph.Cycle seenByFirst = cycle("b", "n1", 1);
    WaitForGraph.Cycle seenBySecond = cycle("a", "n2", 2);

    assertThat(seenByFirst.edges()).extracting(WaitForGraph.Edge::holds).containsExactly("a", "b");
    assertThat(seenBySecond.edges()).extracting(WaitForGraph.Edge::holds).containsExactly("b", "a");
    assertThat(seenByFirst.isYoungest()).isFalse();
    assertThat(seenBySecond.isYoungest()).as("who began to wait last").isTrue();
    assertThat(seenByFirst)
        .hasToString(
            "thread t1 of app@n1 holds \"a\" and waits for \"b\"; "
                + "thread t2 of app@n2 holds \"b\" and waits for \"a\"");
  }

  @Test
  void whoBeganInTheSameMicrosecondIsToldApartByNodeAndThread() {
    held("a", "n1", 1, "b", 10);
    held("b", "n2", 2, "a", 10);

    assertThat(cycle("b", "n1", 1).isYoungest()).isFalse();
    assertThat(cycle("a", "n2", 2).isYoungest()).isTrue();
  }

  @Test
  void aCircleIsFoundThroughOneOfSeveralReaders() {
    held("read", "n3", 3, null, 0);
    held("read", "n4", 4, "elsewhere", 5);
    held("read", "n2", 2, "mine", 6);
    held("mine", "n1", 1, "read", 7);

    assertThat(cycle("read", "n1", 1).edges())
        .extracting(WaitForGraph.Edge::holds)
        .containsExactly("mine", "read");
  }

  @Test
  void aCircleThatTheThreadOnlyWaitsForIsNotItsOwn() {
    held("a", "n1", 1, "b", 10);
    held("b", "n2", 2, "a", 20);

    assertThat(cycle("a", "n3", 3)).isNull();
    assertThat(lookedUp).as("each name once").containsExactly("a", "b");
  }

  @Test
  void threadsOfOneNodeAreToldApartAndSoAreEqualNumbersInDifferentNodes() {
    held("a", "n1", 1, "b", 10);
    held("b", "n1", 2, "a", 20);

    assertThat(cycle("b", "n1", 1).edges()).hasSize(2);
    assertThat(cycle("b", "n2", 1)).isNull();
  }

  @Test
  void whatTheNodeKnowsOfItsOwnClaimsIsNewerThanWhatTheStoreShows() {
    held("a", "n1", 1, "b", 10);
    held("b", "n2", 2, null, 0);
    assertThat(cycle("b", "n1", 1)).isNull();

    local.put("n2/2", new Actor("t2", 2, "a", 20, false).toString());

    assertThat(cycle("b", "n1", 1).edges()).hasSize(2);
  }

  @Test
  void anActorThatCannotBeReadWaitsForNothing() {
    names.put("a", List.of(holder("n2/1", "app@n2", "what a later version writes")));
    assertThat(cycle("a", "n1", 1)).isNull();
  }

  @Test
  void aLongChainIsFollowedForAHundredNamesAndNoFurther() {
    for (int i = 0; i < 200; i++) {
      held("name" + i, "n" + i, i, "name" + (i + 1), i);
    }
    assertThat(cycle("name0", "other", 1)).isNull();
    assertThat(lookedUp).hasSize(100);
  }

  private WaitForGraph.@Nullable Cycle cycle(String waitsFor, String node, long thread) {
    lookedUp.clear();
    return new WaitForGraph(
            name -> {
              lookedUp.add(name);
              return CompletableFuture.completedFuture(
                  Optional.ofNullable(names.get(name))
                      .map(
                          holders ->
                              new LockInfo(name, 1, OptionalLong.empty(), holders, List.of())));
            },
            (name, claim) -> local.get(claim.toString()))
        .cycleFrom(waitsFor, node, new Actor("t" + thread, thread, waitsFor, 0, false))
        .toCompletableFuture()
        .join();
  }

  private void held(String name, String node, long thread, @Nullable String waitsFor, long since) {
    Actor actor = new Actor("t" + thread, thread, waitsFor, since, false);
    names
        .computeIfAbsent(name, key -> new ArrayList<>())
        .add(holder(node + "/" + thread, "app@" + node, actor.toString()));
  }

  private static LockInfo.Holder holder(String claim, String label, String actor) {
    return new LockInfo.Holder(
        claim, label, actor, true, 1, 1, Instant.EPOCH, Duration.ofSeconds(10));
  }
}
