package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Listing;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people see: who holds, who waits. */
@Needs(Capability.INSPECT)
abstract class InspectionCases extends SpiCases {

  InspectionCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void nothingIsKnownOfANameThatNobodyUsed() {
    assertThat(Replies.of(store().find(name()))).isEmpty();
    assertThat(Replies.of(store().list(Listing.all(prefix(), 10)))).isEmpty();
  }

  @Test
  void aHolderIsShown() {
    ScriptedClaim holder = node("app@host:1").claim(name()).actor("worker 7 é");
    Grant grant = holder.take();

    LockInfo info = find();

    assertThat(info.name()).isEqualTo(name());
    assertThat(info.token()).isGreaterThanOrEqualTo(grant.token());
    assertThat(info.waiters()).isEmpty();
    assertThat(info.holders()).hasSize(1);
    LockInfo.Holder shown = info.holders().get(0);
    assertThat(shown.claim()).isEqualTo(holder.id().toString());
    assertThat(shown.label()).isEqualTo("app@host:1");
    assertThat(shown.actor()).isEqualTo("worker 7 é");
    assertThat(shown.exclusive()).isTrue();
    assertThat(shown.permits()).isEqualTo(Command.EVERYTHING);
    assertThat(shown.token()).isEqualTo(grant.token());
    assertThat(shown.left()).isPositive().isLessThanOrEqualTo(ScriptedClaim.LONG_LEASE);
  }

  @Test
  @Needs(Capability.FAIR)
  void waitersAreShownTheNextOneFirst() {
    node("a").claim(name()).take();
    ScriptedClaim first = node("b").claim(name()).actor("one");
    ScriptedClaim second = node("c").claim(name()).actor("two");
    first.enqueue();
    second.enqueue();

    List<LockInfo.Waiter> waiters = find().waiters();

    assertThat(waiters)
        .extracting(LockInfo.Waiter::claim)
        .containsExactly(first.id().toString(), second.id().toString());
    assertThat(waiters).extracting(LockInfo.Waiter::label).containsExactly("b", "c");
    assertThat(waiters).extracting(LockInfo.Waiter::actor).containsExactly("one", "two");
    assertThat(waiters).allMatch(LockInfo.Waiter::exclusive);
    assertThat(waiters.get(0).since()).isBeforeOrEqualTo(waiters.get(1).since());
  }

  @Test
  @Needs(Capability.SEMAPHORE)
  void permitsAreShown() {
    node("a").claim(name()).permits(2, 5).take();
    node("b").claim(name()).permits(3, 5).take();

    List<LockInfo.Holder> holders = find().holders();

    assertThat(holders).extracting(LockInfo.Holder::permits).containsExactly(2, 3);
    assertThat(holders).noneMatch(LockInfo.Holder::exclusive);
  }

  @Test
  void aRenewalSaysWhichThreadIsBehindIt() {
    ScriptedClaim holder = node("a").claim(name()).actor("first");
    holder.take();

    holder.actor("second").mustHold();

    assertThat(find().holders()).extracting(LockInfo.Holder::actor).containsExactly("second");
  }

  @Test
  void aHolderThatIsOverIsNotShown() {
    node("a").claim(name()).lease(suite.shortLease()).take();

    until(
        "the holder is not shown",
        suite.shortLease().plus(LATE),
        () -> Replies.of(store().find(name())).map(info -> info.holders().isEmpty()).orElse(true));
  }

  @Test
  void aReleasedNameHasNoHolder() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    holder.release();

    Optional<LockInfo> info = Replies.of(store().find(name()));

    assertThat(info.map(LockInfo::holders).orElse(List.of())).isEmpty();
  }

  @Test
  @Needs(Capability.MARKS)
  void aMarkIsShown() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    assertThat(find().mark()).isEmpty();
    holder.releaseReaching(42);

    assertThat(find().mark()).hasValue(42);
  }

  @Test
  void namesAreListedByTheirPrefixInTheOrderOfTheirBytes() {
    // In Java's order of characters the emoji, a surrogate pair, would come before U+FF5E.
    List<String> inOrder = List.of("B", "a", "a%", "a_", "ab", "b", "é", "～", "😀");
    List<String> mixed = List.of("😀", "b", "a_", "～", "B", "ab", "a", "é", "a%");
    ScriptedNode a = node("a");
    mixed.forEach(suffix -> a.claim(name(suffix)).take());

    assertThat(listed(prefix(), 100)).containsExactlyElementsOf(names(inOrder));
    assertThat(listed(name("a"), 100))
        .containsExactlyElementsOf(names(List.of("a", "a%", "a_", "ab")));
    assertThat(listed(prefix(), 3)).containsExactlyElementsOf(names(List.of("B", "a", "a%")));
  }

  @Test
  void aPrefixIsNotAPattern() {
    ScriptedNode a = node("a");
    List.of("ax", "a%x", "a_x", "a\\x", "a*x", "A%x").forEach(each -> a.claim(name(each)).take());

    assertThat(listed(name("a%"), 100)).containsExactly(name("a%x"));
    assertThat(listed(name("a_"), 100)).containsExactly(name("a_x"));
    assertThat(listed(name("a\\"), 100)).containsExactly(name("a\\x"));
    assertThat(listed(name("a*"), 100)).containsExactly(name("a*x"));
    assertThat(listed(name("nothing"), 100)).isEmpty();
  }

  @Test
  @Needs(Capability.MARKS)
  void namesInUseAreFoundBehindIdleOnes() {
    ScriptedNode a = node("a");
    for (int i = 0; i < 12; i++) {
      // A mark is remembered, and so is the name.
      ScriptedClaim done = a.claim(name("idle" + i));
      done.take();
      done.releaseReaching(i);
      // So is a claim that has ended before it was sent.
      a.claim(name("never" + i)).cancel();
    }
    a.claim(name("x")).take();
    ScriptedClaim leaving = a.claim(name("y"));
    leaving.take();
    node("b").claim(name("y")).enqueue();
    a.claim(name("z")).take();

    assertThat(listedInUse(prefix(), 100)).containsExactly(name("x"), name("y"), name("z"));
    assertThat(listedInUse(prefix(), 2)).containsExactly(name("x"), name("y"));
    assertThat(listedInUse(name("idle"), 2)).isEmpty();
    assertThat(listed(prefix(), 100)).contains(name("idle0"), name("idle11"), name("x"));
  }

  @Test
  void aNameThatWasReleasedIsNotInUse() {
    ScriptedNode a = node("a");
    ScriptedClaim released = a.claim(name("released"));
    released.take();
    released.release();
    a.claim(name("taken")).take();

    assertThat(listedInUse(prefix(), 1)).containsExactly(name("taken"));
  }

  private List<String> listedInUse(String withPrefix, int limit) {
    return Replies.of(store(1).list(Listing.inUse(withPrefix, limit))).stream()
        .map(LockInfo::name)
        .toList();
  }

  private LockInfo find() {
    return Replies.of(store(1).find(name())).orElseThrow();
  }

  private List<String> listed(String withPrefix, int limit) {
    return Replies.of(store(1).list(Listing.all(withPrefix, limit))).stream()
        .map(LockInfo::name)
        .toList();
  }

  private List<String> names(List<String> suffixes) {
    return suffixes.stream().map(this::name).toList();
  }
}
