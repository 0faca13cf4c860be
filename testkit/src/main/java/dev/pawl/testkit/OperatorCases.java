package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.JournalEntry;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What an operator sees and does. */
@Needs({Capability.INSPECT, Capability.EVICT})
abstract class OperatorCases extends ApiCases {

  OperatorCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void anOperatorSeesWhoHoldsAndWhoWaits() throws Exception {
    Pawl a = pawl("app@one:1");
    Pawl b = pawl("app@two:2");
    Lease lease = a.lock(name()).acquire();
    Background<Lease> waiting = Background.startAndBlock("waiting", () -> b.lock(name()).acquire());
    if (store().capabilities().contains(Capability.FAIR)) {
      // What was seen is kept: on a machine that stalls, it may lose its place and come again.
      List<LockInfo.Waiter> seen = new CopyOnWriteArrayList<>();
      eventually("it waits", () -> seen.addAll(find(b).waiters()));
      assertThat(seen).hasSize(1);
      assertThat(seen.get(0).label()).isEqualTo("app@two:2");
      assertThat(seen.get(0).actor()).contains("waiting");
    }

    LockInfo.Holder holder = find(b).holders().get(0);

    assertThat(holder.label()).isEqualTo("app@one:1");
    assertThat(holder.claim()).startsWith(a.nodeId() + "/");
    assertThat(holder.actor()).contains(Thread.currentThread().getName());
    assertThat(holder.token()).isEqualTo(lease.token());
    assertThat(b.inspector().list(prefix(), 10)).extracting(LockInfo::name).contains(name());
    lease.close();
    waiting.result().close();
  }

  @Test
  void aForcedReleaseTakesTheLockAwayAndIsJournalled() throws Exception {
    Pawl a = pawl("a");
    Pawl operator = pawl("console");
    Lease lease = a.lock(name()).acquire();
    CountDownLatch lost = new CountDownLatch(1);
    lease.onLost(lost::countDown);

    assertThat(operator.inspector().forceRelease(name(), lease.token(), "Ada", "it hangs"))
        .isTrue();

    assertThat(lost.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    LossCases.isLost(lease);
    assertThat(takenElsewhere(operator, name())).isGreaterThan(lease.token());
    eventually("the holder has noted its loss", () -> kinds(operator).size() == 2);
    assertThat(kinds(operator))
        .containsExactlyInAnyOrder(JournalEntry.Kind.FORCED_RELEASE, JournalEntry.Kind.LEASE_LOST);
    JournalEntry entry =
        operator.inspector().journal(name(), 10).stream()
            .filter(each -> each.kind() == JournalEntry.Kind.FORCED_RELEASE)
            .findFirst()
            .orElseThrow();
    assertThat(entry.token()).isEqualTo(lease.token());
    assertThat(entry.node()).isEqualTo("console");
    assertThat(entry.details()).containsEntry("by", "Ada").containsEntry("reason", "it hangs");
    assertThat(operator.inspector().journal(1_000)).contains(entry);
  }

  @Test
  void aForcedReleaseOfAnotherTokenChangesNothing() throws Exception {
    Pawl a = pawl("a");
    Pawl operator = pawl("console");
    Lease before = a.lock(name()).acquire();
    before.close();
    try (Lease lease = a.lock(name()).acquire()) {
      assertThat(operator.inspector().forceRelease(name(), before.token(), "Ada", "too late"))
          .isFalse();

      assertThat(find(operator).holders()).hasSize(1);
      lease.ensureHeld();
    }
    assertThat(operator.inspector().journal(name(), 10)).isEmpty();
  }

  @Test
  void whoeverWaitsGetsWhatWasReleasedByForce() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();
    Background<Lease> waiting =
        Background.startAndBlock("waiting", () -> b.lock(name()).acquire(LONG));

    b.inspector().forceRelease(name(), lease.token(), "Ada", "it hangs");

    Lease next = waiting.result();
    assertThat(next.token()).isGreaterThan(lease.token());
    next.close();
  }

  @Test
  void aForcedReleaseNeedsANameAndAReason() {
    Pawl a = pawl("a");

    assertThatThrownBy(() -> a.inspector().forceRelease(name(), 1, " ", "why"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> a.inspector().forceRelease(name(), 1, "who", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(calls(a)).isEmpty();
  }

  private LockInfo find(Pawl pawl) {
    return pawl.inspector().find(name()).orElseThrow();
  }

  private List<JournalEntry.Kind> kinds(Pawl pawl) {
    return pawl.inspector().journal(name(), 10).stream().map(JournalEntry::kind).toList();
  }
}
