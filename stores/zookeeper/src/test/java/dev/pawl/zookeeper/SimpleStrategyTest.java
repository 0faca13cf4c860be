package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One node for each name that is held; and beside it users of the fair strategy. */
class SimpleStrategyTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static ZooKeeperServer server;
  private static Looker looker;

  private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
  private final Pawl fair = connect(server.address(), "fair", "f");
  private final Pawl simple = connect(server.address(), "simple", "s");
  private final Pawl behind = connect("127.0.0.1:" + proxy.port(), "simple", "behind");

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
    looker = new Looker(server.address());
  }

  @AfterAll
  static void stop() {
    looker.close();
    server.close();
  }

  @AfterEach
  void close() {
    proxy.heal();
    behind.close();
    simple.close();
    fair.close();
    proxy.close();
  }

  private static Pawl connect(String address, String strategy, String label) {
    return Pawl.builder("zk://" + address + "?sessionTimeout=60s&strategy=" + strategy)
        .label(label)
        .responseTimeout(LONG) // Longer than a busy machine takes to connect again.
        .build();
  }

  @Test
  void aNameThatIsHeldIsOneNodeAndAFreeOneIsNone() throws Exception {
    Lease lease = simple.lock("one").acquire();
    assertThat(looker.nodesOf("/pawl", "one")).isEqualTo(1);
    lease.close();
    assertThat(looker.nodesOf("/pawl", "one")).isZero();
  }

  @Test
  @Tag("safety")
  void usersOfBothStrategiesExcludeEachOther() throws Exception {
    Lease held = fair.lock("both").acquire();
    assertThat(simple.lock("both").tryAcquire()).isEmpty();
    assertThatThrownBy(() -> simple.lock("both").acquire(Duration.ofMillis(300)))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("held by f");
    CompletableFuture<Lease> next = simple.lock("both").acquireAsync(LONG);
    held.close();

    Lease second = next.get(60, TimeUnit.SECONDS);
    assertThat(second.token()).isGreaterThan(held.token());
    assertThat(fair.lock("both").tryAcquire()).isEmpty();
    assertThatThrownBy(() -> fair.lock("both").acquire(Duration.ofMillis(300)))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("held by s");
    CompletableFuture<Lease> third = fair.lock("both").acquireAsync(LONG);
    second.close();
    assertThat(third.get(60, TimeUnit.SECONDS).token()).isGreaterThan(second.token());
  }

  @Test
  @Tag("safety")
  void noTwoOfThemEverHoldOneName() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<CompletableFuture<Void>> workers = new ArrayList<>();
    for (Pawl pawl : List.of(fair, simple, behind)) {
      workers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 60; i++) {
                  try (Lease lease = pawl.lock("mixed").acquire(LONG)) {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    lease.ensureHeld();
                    inside.decrementAndGet();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                }
              }));
    }
    for (CompletableFuture<Void> worker : workers) {
      worker.get(100, TimeUnit.SECONDS);
    }
    assertThat(most.get()).isEqualTo(1);
    eventually("nothing is left", () -> looker.nodesOf("/pawl", "mixed") == 0);
  }

  /** A name's container is deleted a while after its last use; by then the path is another's. */
  @Test
  @Tag("safety")
  void whatIsCleanedUpIsNeverANodeOfTheSimpleStrategy() throws Exception {
    fair.lock("cleaned").acquire().close();
    Lease lease = simple.lock("cleaned").acquire(LONG);
    assertThat(fair.lock("cleaned").tryAcquire()).isEmpty();
    fair.lock("cleaned-after").acquire().close();
    // Both were last used by then, the second later.
    eventually("idle names are cleaned up", () -> looker.nodesOf("/pawl", "cleaned-after") == 0);
    fair.lock("another").acquire().close(); // Answered after what was sent before.

    assertThat(looker.nodesOf("/pawl", "cleaned")).isEqualTo(1);
    lease.confirm();
    lease.close();
  }

  @Test
  void whoLooksSeesBothAndAForcedReleaseIsRefusedWithTheReason() throws Exception {
    try (Lease lease = simple.lock("seen").acquire()) {
      Optional<LockInfo> info = fair.inspector().find("seen");
      assertThat(info).isPresent();
      assertThat(info.get().holders()).hasSize(1);
      assertThat(info.get().holders().get(0).label()).isEqualTo("s");
      assertThat(info.get().holders().get(0).token()).isEqualTo(lease.token());
      assertThatThrownBy(() -> fair.inspector().forceRelease("seen", lease.token(), "ops", "test"))
          .isInstanceOf(UnsupportedByStoreException.class)
          .hasMessageContaining("seen is held by s with the simple strategy")
          .hasMessageContaining("end that process");
      lease.confirm();
    }
  }

  /** The path is the same whoever holds the name, so that a release in doubt must look first. */
  @Test
  @Tag("safety")
  void aReleaseThatIsRepeatedRemovesNobodyElse() throws Exception {
    Lease lease = behind.lock("repeated").acquire();
    proxy.dropReplies();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(lease::close);
    eventually("it is released", () -> looker.nodesOf("/pawl", "repeated") == 0);
    Lease next = simple.lock("repeated").acquire(LONG);
    proxy.cut();
    proxy.heal();

    closing.get(60, TimeUnit.SECONDS);
    // What is asked for in the same session comes after every repetition of the release.
    behind.lock("another").acquire(LONG).close();
    assertThat(behind.lock("repeated").tryAcquire()).isEmpty();
    next.confirm();
    next.close();
  }

  @Test
  @Tag("safety")
  void anAcquireThatWasNotAnsweredIsFoundAgain() throws Exception {
    for (int round = 0; round < 3; round++) {
      String name = "unanswered-" + round;
      proxy.dropReplies();
      CompletableFuture<Lease> waiting = behind.lock(name).acquireAsync(LONG);
      eventually("the node is there", () -> looker.nodesOf("/pawl", name) == 1);
      proxy.cut();
      proxy.heal();

      Lease lease = waiting.get(60, TimeUnit.SECONDS);
      lease.confirm();
      lease.close();
      simple.lock(name).acquire(LONG).close();
    }
  }

  @Test
  void anAcquireAndAReleaseAreTwoRequests() throws Exception {
    simple.lock("trips").acquire().close(); // The session's node.
    int pairs = 50;
    // What is not answered within a second is asked again.
    Measurement.whereNothingStalls(
        () -> {
          long before = server.counted("zk_packets_received");
          for (int i = 0; i < pairs; i++) {
            simple.lock("trips").acquire().close();
          }
          long requests = server.counted("zk_packets_received") - before;

          // And pings, and this question.
          assertThat(requests).isBetween(2L * pairs, 2L * pairs + 20);
        });
  }
}
