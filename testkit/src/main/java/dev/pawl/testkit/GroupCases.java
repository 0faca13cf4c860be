package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LeaseGroup;
import dev.pawl.LeaseLostException;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several locks, all or none. */
abstract class GroupCases extends ApiCases {

  private static final Duration A_MOMENT = Duration.ofMillis(150);

  GroupCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void allAreTakenInTheOrderOfTheirBytesAndGivenBack() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    LeaseGroup group = a.allOf(name("c"), name("é"), name("a"), name("B")).acquire();

    assertThat(group.leases())
        .extracting(Lease::name)
        .containsExactly(name("B"), name("a"), name("c"), name("é"));
    assertThat(group.isHeld()).isTrue();
    group.ensureHeld();
    for (Lease lease : group.leases()) {
      assertThat(group.token(lease.name())).isEqualTo(lease.token()).isPositive();
      assertThat(b.lock(lease.name()).tryAcquire()).isEmpty();
    }
    assertThatThrownBy(() -> group.token("another"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another");

    group.close();
    group.close();

    assertThat(group.isHeld()).isFalse();
    b.allOf(name("a"), name("B"), name("c")).tryAcquire().orElseThrow().close();
    nobodyIsLeft();
  }

  @Test
  void ifOneIsHeldNoneIsKept() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("holder-of-it");
    try (Lease middle = b.lock(name("2")).acquire()) {
      assertThat(a.allOf(names()).tryAcquire()).isEmpty();
      assertThat(a.allOf(names()).tryAcquire(A_MOMENT)).isEmpty();
      assertThatThrownBy(() -> a.allOf(names()).acquire(A_MOMENT))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining(name("2"))
          .hasMessageContaining("holder-of-it");

      assertThat(takenElsewhere(b, name("1"))).isPositive();
      assertThat(takenElsewhere(b, name("3"))).isPositive();
      middle.ensureHeld();
    }
    // Until the store has heard that nobody waits for it any more.
    assertThat(takenElsewhere(b, name("2"))).isPositive();
    a.allOf(names()).tryAcquire().orElseThrow().close();
    nobodyIsLeft();
  }

  @Test
  void anInterruptKeepsNone() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    try (Lease last = b.lock(name("3")).acquire()) {
      Background<LeaseGroup> waiting =
          Background.startAndBlock("waiting", () -> a.allOf(names()).acquire());

      waiting.interrupt();

      assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
      assertThat(takenElsewhere(b, name("1"))).isPositive();
      last.ensureHeld();
    }
    nobodyIsLeft();
  }

  @Test
  void groupsInAnyOrderDoNotWaitForEachOther() throws Exception {
    Pawl[] nodes = {pawl("a"), pawl("b")};
    List<List<String>> orders =
        List.of(
            List.of(name("1"), name("2"), name("3")),
            List.of(name("3"), name("2"), name("1")),
            List.of(name("2"), name("3"), name("1")),
            List.of(name("3"), name("1"), name("2")));
    long[] counter = new long[1];
    Together.run(
        4,
        i -> {
          for (int round = 0; round < 10; round++) {
            try (LeaseGroup group = nodes[i % 2].allOf(orders.get(i)).acquire(LONG)) {
              counter[0]++;
              group.ensureHeld();
            }
          }
        });
    try (LeaseGroup group = nodes[0].allOf(names()).acquire(LONG)) {
      assertThat(counter[0]).isEqualTo(40);
      group.ensureHeld();
    }
  }

  @Test
  @Needs({Capability.INSPECT, Capability.EVICT})
  void theLossOfOneIsTheLossOfTheGroup() throws Exception {
    Pawl a = pawl("a");
    LeaseGroup group = a.allOf(names()).acquire();
    CountDownLatch lost = new CountDownLatch(1);
    group.onLost(lost::countDown);

    pawl("b").inspector().forceRelease(name("2"), group.token(name("2")), "suite", "to see");

    assertThat(lost.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(group.isHeld()).isFalse();
    assertThatThrownBy(group::ensureHeld)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(name("2"));
    assertThatThrownBy(group::close)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining(name("2"));
    pawl("c").allOf(names()).tryAcquire().orElseThrow().close();
  }

  private String[] names() {
    return new String[] {name("1"), name("2"), name("3")};
  }
}
