package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.HazelcastCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The command on a cluster of Hazelcast, of which each call is a client for a moment. */
class HazelcastProcessTest {

  private static HazelcastCluster cluster;
  private static String store;

  @BeforeAll
  static void start() {
    cluster =
        HazelcastCluster.start(2, HazelcastCluster.Setup.of(System.getProperty("java.class.path")));
    store = cluster.url() + "?timeout=30s&connectTimeout=2m";
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** What succeeds prints nothing of Hazelcast's own. */
  private static String out(String... arguments) {
    Result result = PawlProcess.run(store, arguments);
    assertThat(result.code()).as("%s: %s", List.of(arguments), result).isZero();
    assertThat(result.err()).isEmpty();
    return result.out();
  }

  @Test
  void aCommandRunsUnderALockAndIsSeenMeanwhile() {
    try (PawlProcess shell =
        PawlProcess.startBash(
            Map.of("PAWL_STORE", store),
            "\"$PAWL\" run deploy -- sh -c '\"$PAWL\" ls -q; \"$PAWL\" run deploy --no-wait -- true;"
                + " echo code $?; exit 7'")) {
      Result result = shell.await();
      assertThat(result.code()).as("%s", result).isEqualTo(7);
      assertThat(result.out().lines()).containsExactly("deploy", "code 75");
      assertThat(result.err()).contains("\"deploy\"").doesNotContain("com.hazelcast", "Exception");
    }
    // That a claim has ended may be remembered for a while: the name is not in use.
    assertThat(PawlProcess.run(store, "ls", "-q").out()).doesNotContain("deploy");
  }

  @Test
  void whoHoldsAndWhoWaitsIsShown() throws Exception {
    try (Pawl holder = node("holder");
        Pawl waiter = node("waiter")) {
      Lease lease = holder.lock("invoice:42").acquire();
      var waiting = waiter.lock("invoice:42").acquireAsync(Duration.ofMinutes(2));
      until(() -> !holder.inspector().find("invoice:42").orElseThrow().waiters().isEmpty());
      assertThat(out("ls", "inv")).contains("invoice:42", "holder", "" + lease.token());
      // A waiter whose node stood still for a second or two is not there until it asks again.
      until(() -> out("show", "invoice:42").contains("waiter"));
      assertThat(out("show", "invoice:42")).contains("holder", "" + lease.token());
      assertThat(out("top")).contains("invoice:42", "holder");
      Result released = release(lease);
      waiting.get().close();
      // Its node is told, too, and not always before the other one.
      until(() -> !lease.isHeld());
      assertThat(out("journal", "invoice:42"))
          .contains(released.code() == 0 ? "a test" : "released by force");
    }
  }

  /** One whose backup stands still for half a second has an outcome that is not known. */
  private static Result release(Lease lease) {
    Result[] last = new Result[1];
    until(
        () -> {
          last[0] =
              PawlProcess.run(
                  store,
                  "release",
                  "invoice:42",
                  "--token",
                  "" + lease.token(),
                  "--reason",
                  "a test",
                  "-y");
          return last[0].code() == 0 || !lease.isHeld();
        });
    return last[0];
  }

  private static void until(BooleanSupplier state) {
    long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (!state.getAsBoolean()) {
      assertThat(System.nanoTime()).as("patience").isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  private static Pawl node(String label) {
    return Pawl.builder(store).label(label).responseTimeout(Duration.ofSeconds(30)).build();
  }

  @Test
  void doctorReportsThatASplitBrainIsNotGuardedAgainst() {
    Result result = PawlProcess.run(store, "doctor");
    assertThat(result.code()).as("%s", result).isEqualTo(1);
    assertThat(result.out())
        .contains("members that keep data: 2", "backup-count is 1", "round trip: ")
        .containsPattern("UNSAFE .*split-brain protection")
        .contains("Not fit for locks: 1 unsafe");
    assertThat(result.err()).doesNotContain("com.hazelcast");
  }

  @Test
  void theDemoCountsRight() {
    Result result = PawlProcess.run(store, "demo", "--nodes", "2", "--store", store);
    assertThat(result.code()).as("%s", result).isZero();
    assertThat(result.out()).containsPattern("2 with Pawl, 12 reminders +12 +12 +yes");
  }
}
