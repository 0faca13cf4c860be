package dev.pawl.memory;

import static dev.pawl.memory.StoreScene.ask;
import static dev.pawl.memory.StoreScene.id;
import static dev.pawl.memory.StoreScene.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore.Subscription;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Shows that the reference store tells the right node, keeps names apart, and refuses when closed.
 */
class MemoryStoreTest {

  private static final OptionalLong NO_MARK = OptionalLong.empty();

  private final StoreScene scene = new StoreScene();
  private final MemoryStore store = scene.store;
  private final List<Signal> toA = new ArrayList<>();
  private final List<Signal> toB = new ArrayList<>();

  // Signals.

  @Test
  void aGrantIsToldToTheNodeThatWaitedAndToNoOther() {
    store.subscribe("a", toA::add);
    store.subscribe("b", toB::add);
    Grant grant = scene.hold(ask("x", "a"));
    scene.queue(ask("x", "b"));
    scene.free("x", grant);
    assertThat(toA).isEmpty();
    assertThat(toB).hasSize(1).first().isInstanceOf(Signal.Granted.class);
  }

  @Test
  void aForcedReleaseIsToldToTheNodeThatHeld() {
    store.subscribe("a", toA::add);
    store.subscribe("b", toB::add);
    Grant grant = scene.hold(ask("x", "a"));
    now(store.evict(new Command.Evict("x", grant.token())));
    assertThat(toA).containsExactly(new Signal.Evicted("x", id("a")));
    assertThat(toB).isEmpty();
  }

  @Test
  void aMarkIsToldToTheNodeThatWaitedForIt() {
    store.subscribe("a", toA::add);
    store.subscribe("b", toB::add);
    Grant grant = scene.hold(ask("x", id("a"), 1, OptionalLong.of(7)));
    scene.queue(ask("x", id("b"), 1, OptionalLong.of(7)));
    now(store.release(StoreScene.release("x", grant, OptionalLong.of(7))));
    assertThat(toA).isEmpty();
    assertThat(toB).containsExactly(new Signal.Done("x", id("b"), 7));
  }

  @Test
  void nothingIsToldAfterTheEndOfASubscription() {
    Subscription subscription = store.subscribe("b", toB::add);
    Grant grant = scene.hold(ask("x", "a"));
    scene.queue(ask("x", "b"));
    subscription.close();
    scene.free("x", grant);
    assertThat(toB).isEmpty();
  }

  @Test
  void theEndOfAnOldSubscriptionLeavesTheNewOneAlone() {
    Subscription old = store.subscribe("b", toA::add);
    store.subscribe("b", toB::add);
    old.close();
    Grant grant = scene.hold(ask("x", "a"));
    scene.queue(ask("x", "b"));
    scene.free("x", grant);
    assertThat(toA).isEmpty();
    assertThat(toB).hasSize(1);
  }

  @Test
  void aListenerMaySendACommandOfItsOwn() {
    store.subscribe(
        "b",
        signal -> {
          toB.add(signal);
          scene.free("x", ((Signal.Granted) signal).grant());
        });
    Grant grant = scene.hold(ask("x", "a"));
    scene.queue(ask("x", "b"));
    scene.free("x", grant);
    assertThat(toB).hasSize(1);
    scene.hold(ask("x", "c"));
  }

  // Names.

  @Test
  void namesThatLookOrSortAlikeAreDifferentNames() {
    List<String> names =
        List.of("a", "A", "á", "a\u0301", "a ", " a", "ａ", "ß", "ss", "i", "ı", "\uD83D\uDD12");
    for (String name : names) {
      scene.hold(ask(name, "a"));
    }
    assertThat(store.size()).isEqualTo(names.size());
    assertThat(names).allSatisfy(name -> assertThat(now(store.find(name))).isPresent());
  }

  @Test
  void aListIsInTheOrderOfTheBytes() {
    // In UTF-16 the lock, a surrogate pair, would come before the last letter.
    List<String> sorted = List.of("A", "Z", "a", "aa", "b", "á", "ｚ", "\uD83D\uDD12");
    sorted.stream().sorted().forEach(name -> scene.hold(ask(name, "a")));
    assertThat(names("", 99)).isEqualTo(sorted);
  }

  @Test
  void aListBeginsWithThePrefixAndEndsAtTheLimit() {
    Stream.of("job:2", "job", "job:1", "jo", "job:3", "JOB:1")
        .forEach(name -> scene.hold(ask(name, "a")));
    assertThat(names("job:", 2)).containsExactly("job:1", "job:2");
    assertThat(names("job:", 99)).containsExactly("job:1", "job:2", "job:3");
    assertThat(names("x", 99)).isEmpty();
  }

  private List<String> names(String prefix, int limit) {
    return now(store.list(Listing.all(prefix, limit))).stream().map(LockInfo::name).toList();
  }

  // Commands.

  @Test
  void renewalsAreAnsweredInTheOrderInWhichTheyWereSent() {
    Grant x = scene.hold(ask("x", "a"));
    scene.hold(ask("y", "b"));
    scene.queue(ask("y", "a"));
    List<RenewReply> replies =
        now(store.renew(Stream.of("z", "x", "y").map(MemoryStoreTest::renewal).toList()));
    assertThat(replies.get(0)).isEqualTo(new RenewReply.Gone());
    assertThat(replies.get(1)).isEqualTo(new RenewReply.Held(x));
    assertThat(replies.get(2)).isInstanceOf(RenewReply.Waiting.class);
  }

  private static Command.Renew renewal(String name) {
    return new Command.Renew(name, id("a"), Command.EVERYTHING, StoreScene.LEASE, "main");
  }

  @Test
  void aNameIsFoundWhileItIsInUse() {
    assertThat(now(store.find("x"))).isEmpty();
    Grant grant = scene.hold(ask("x", "a"));
    assertThat(now(store.find("x")).orElseThrow().holders()).hasSize(1);
    scene.clock.addAndGet(1);
    scene.free("x", grant);
    assertThat(now(store.find("x"))).isEmpty();
  }

  @Test
  void aYieldAndACancelAreTheMachines() {
    Grant grant = scene.hold(ask("x", "a"));
    scene.queue(ask("x", "b"));
    now(
        store.yieldGrant(
            new Command.Yield(StoreScene.release("x", grant, NO_MARK), ask("x", "a2"))));
    now(store.cancel(new Command.Cancel("x", id("b"), false)));
    assertThat(now(store.find("x")).orElseThrow().holders())
        .extracting(LockInfo.Holder::claim)
        .containsExactly("a2/1");
  }

  @Test
  void itCanDoEverything() {
    assertThat(store.capabilities()).containsExactlyInAnyOrder(Capability.values());
    assertThat(store.blocking()).isFalse();
    assertThat(store.describe()).isEqualTo("memory");
  }

  @Test
  void theClockOfAStoreOfItsOwnIsTheTimeOfDay() {
    Instant before = Instant.now();
    try (MemoryStore real = new MemoryStore()) {
      now(real.journal().append(JournalEntry.Kind.JOB_RUN, "x", 1, "a", Map.of()));
      Instant at = now(real.journal().readAll(1)).get(0).at();
      assertThat(at).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(60));
    }
  }

  // Closing.

  @Test
  void aClosedStoreRefusesEveryCommand() {
    Grant grant = scene.hold(ask("x", "a"));
    Command.Release release = StoreScene.release("x", grant, NO_MARK);
    store.close();
    store.close();
    assertThat(store.size()).isZero();
    List<CompletionStage<?>> replies =
        List.of(
            store.acquire(ask("x", "b")),
            store.renew(List.of(renewal("x"))),
            store.release(release),
            store.yieldGrant(new Command.Yield(release, ask("x", "b"))),
            store.cancel(new Command.Cancel("x", id("a"), true)),
            store.evict(new Command.Evict("x", grant.token())),
            store.find("x"),
            store.list(Listing.all("", 1)));
    assertThat(replies)
        .allSatisfy(
            reply ->
                assertThatThrownBy(() -> reply.toCompletableFuture().join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StoreUnavailableException.class));
  }

  @Test
  void onlyTheNakedUrlOpensOne() {
    MemoryStoreProvider provider = new MemoryStoreProvider();
    assertThat(provider.accepts("memory:")).isTrue();
    assertThat(provider.accepts("redis://x")).isFalse();
    try (var opened = provider.open("memory:")) {
      assertThat(now(opened.find("x"))).isEmpty();
    }
    assertThatThrownBy(() -> provider.open("memory:x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memory:x");
  }

  // The journal.

  @Test
  void aJournalKeepsTheNewestEntriesAndForgetsTheOldest() {
    for (int i = 0; i < Journal.IN_ALL + 5; i++) {
      now(
          store
              .journal()
              .append(
                  JournalEntry.Kind.LEASE_LOST,
                  "n" + i / Journal.OF_EACH_NAME,
                  i,
                  "a",
                  Map.of("why", "test")));
    }
    List<JournalEntry> all = now(store.journal().readAll(Integer.MAX_VALUE));
    assertThat(all).hasSize(Journal.IN_ALL);
    assertThat(all.get(0).token()).isEqualTo(Journal.IN_ALL + 4);
    assertThat(all.get(Journal.IN_ALL - 1).token()).isEqualTo(5);
    assertThat(now(store.journal().read("n1", 2)))
        .extracting(JournalEntry::token)
        .containsExactly(2L * Journal.OF_EACH_NAME - 1, 2L * Journal.OF_EACH_NAME - 2);
    assertThat(all.get(0).at()).isEqualTo(Instant.ofEpochSecond(1_000));
  }

  @Test
  void theReleaseOfALostLeaseIsReported() {
    Grant grant = scene.hold(ask("x", "a"));
    scene.clock.addAndGet(StoreScene.LEASE);
    assertThat(now(store.release(StoreScene.release("x", grant, NO_MARK))))
        .isEqualTo(ReleaseReply.GONE);
  }
}
