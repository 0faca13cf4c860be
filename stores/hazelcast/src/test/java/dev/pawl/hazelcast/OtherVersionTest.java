package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.spi.Finding;
import dev.pawl.testservers.HazelcastCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that run another version of Pawl: what cannot be read is an error, and never a grant. */
@Tag("safety")
class OtherVersionTest {

  /** Two thirds of it are longer than a busy machine stalls. */
  private static final Duration LEASE = Duration.ofSeconds(8);

  private static final LockOptions SHORT = LockOptions.DEFAULT.withLease(LEASE);
  private static final Path WIRE = Path.of("src/main/java/dev/pawl/hazelcast/member/Wire.java");
  private static final Path STATES =
      Path.of("../../core/src/main/java/dev/pawl/machine/StateCodec.java");

  @TempDir Path directory;

  /** The class path of a member for which one constant of one class is another. */
  private String withOther(Path source, String constant, String other) throws IOException {
    String text = Files.readString(source);
    assertThat(text).containsOnlyOnce(constant);
    Path changed = directory.resolve(source.getFileName());
    Files.writeString(changed, text.replace(constant, other));
    Path classes = Files.createDirectory(directory.resolve("classes"));
    String path = System.getProperty("java.class.path");
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(
                    null,
                    null,
                    null,
                    "-proc:none",
                    "-cp",
                    path,
                    "-d",
                    classes.toString(),
                    changed.toString()))
        .isZero();
    return classes + File.pathSeparator + path;
  }

  private static Pawl connect(HazelcastCluster cluster) {
    return Pawl.builder(cluster.url() + "?connectTimeout=2m")
        .defaults(SHORT)
        .responseTimeout(Duration.ofSeconds(30))
        .build();
  }

  private static void assertOtherVersion(Throwable error) {
    assertThat(error)
        .isExactlyInstanceOf(PawlException.class)
        .hasMessageContaining("another version of Pawl")
        .hasMessageContaining("use one version on all members and clients");
  }

  @Test
  void messagesOfAnotherVersionAreRefusedAndNamesOfOtherMembersGoOn() throws Exception {
    try (HazelcastCluster cluster = HazelcastCluster.start(2, Clusters.withPawl());
        Pawl pawl = connect(cluster)) {
      HazelcastInstance client = Clusters.client(cluster);
      cluster.member(1).kill();
      cluster.member(1).startAgain(2, withOther(WIRE, "byte FORM = ", "byte FORM = 50 + "));
      Waiting.untilSafe(client, 2);
      try (HazelcastStore store = HazelcastStore.of(client, Clusters.PATIENT)) {
        throw new AssertionError(store.describe() + " was opened");
      } catch (PawlException e) {
        assertOtherVersion(e);
      }
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String known = Waiting.nameOn(client, cluster.member(0).hostAndPort(), i);
        Waiting.until("granted", () -> held.add(pawl.lock(known).acquire()));
      }
      String other = Waiting.nameOn(client, cluster.member(1).hostAndPort(), 0);
      long end = System.nanoTime() + LEASE.plusSeconds(2).toNanos();
      while (System.nanoTime() < end) {
        assertThatThrownBy(() -> pawl.lock(other).tryAcquire())
            .satisfies(OtherVersionTest::assertOtherVersion);
        assertThatThrownBy(() -> pawl.lock(other).acquire())
            .satisfies(OtherVersionTest::assertOtherVersion);
      }
      assertThat(held).hasSize(30).allMatch(Lease::isHeld);
      client.shutdown();
    }
  }

  /** Its names cannot be locked, and nothing counts of which it would have the only backup. */
  @Test
  void besideAMemberWithoutPawlNothingIsGranted() throws Exception {
    try (HazelcastCluster cluster = HazelcastCluster.start(2, Clusters.withPawl());
        Pawl pawl =
            Pawl.builder(cluster.url() + "?connectTimeout=2m")
                .defaults(SHORT)
                .responseTimeout(Duration.ofSeconds(1))
                .build()) {
      cluster.member(1).kill();
      cluster.member(1).startAgain(2, Clusters.withoutPawl().classPath());
      Waiting.until(
          "it has been given its share", () -> refusals(pawl).stream().noneMatch(String::isEmpty));
      assertThat(refusals(pawl))
          .anyMatch(refusal -> refusal.contains("a member does not have Pawl on its class path"))
          .anyMatch(refusal -> refusal.contains("may hold it until its lease of 8000 ms ends"))
          .noneMatch(String::isEmpty);
    }
  }

  /** Why names are not granted; empty for each that is. */
  private static List<String> refusals(Pawl pawl) {
    List<String> refusals = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      try {
        Optional<Lease> lease = pawl.lock("name " + i).tryAcquire();
        refusals.add(lease.isPresent() ? "" : "busy"); // By what an earlier call left in doubt.
        lease.ifPresent(Lease::close);
      } catch (PawlException e) {
        refusals.add(String.valueOf(e.getMessage()));
      }
    }
    return refusals;
  }

  @Test
  void doctorNamesTheMember() throws Exception {
    try (HazelcastCluster cluster = HazelcastCluster.start(2, Clusters.withPawl());
        HazelcastStore store = HazelcastStore.open(cluster.url(), Clusters.PATIENT)) {
      cluster.member(1).kill();
      cluster.member(1).startAgain(2, withOther(WIRE, "byte FORM = ", "byte FORM = 50 + "));
      String port = cluster.member(1).hostAndPort().replaceFirst(".*:", ":");
      Waiting.until(
          "it is named",
          () ->
              store.examine().toCompletableFuture().get(60, TimeUnit.SECONDS).stream()
                  .map(Finding::what)
                  .anyMatch(
                      what ->
                          what.contains(port) && what.contains("runs another version of Pawl")));
    }
  }

  /**
   * What a newer version has stored, on a member of an older one that took over. The holder cannot
   * renew it there and loses it at its deadline; nobody else gets it, since nobody knows until when
   * it is held.
   */
  @Test
  void anEntryThatCannotBeReadIsGrantedToNobodyAndCostsOthersNothing() throws Exception {
    try (HazelcastCluster cluster = HazelcastCluster.start(2, Clusters.withPawl());
        Pawl pawl = connect(cluster);
        Pawl other = connect(cluster)) {
      HazelcastInstance client = Clusters.client(cluster);
      cluster.member(1).kill();
      cluster.member(1).startAgain(2, withOther(STATES, "byte FORM = ", "byte FORM = 50 + "));
      Waiting.untilSafe(client, 2);
      String newer = Waiting.nameOn(client, cluster.member(1).hostAndPort(), 0);
      Lease[] lease = new Lease[1];
      Waiting.until("granted", () -> (lease[0] = pawl.lock(newer).acquire()) != null);
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String known = Waiting.nameOn(client, cluster.member(0).hostAndPort(), i);
        Waiting.until("granted", () -> held.add(pawl.lock(known).acquire()));
      }

      cluster.member(1).kill();

      Waiting.until("lost at its deadline", () -> isRefused(other, newer) && !lease[0].isHeld());
      assertThatThrownBy(() -> other.lock(newer).acquire())
          .satisfies(OtherVersionTest::assertOtherVersion);
      long end = System.nanoTime() + LEASE.plusSeconds(2).toNanos();
      while (System.nanoTime() < end) {
        assertThat(isRefused(other, newer)).isTrue();
      }
      assertThat(held).hasSize(30).allMatch(Lease::isHeld);
      client.shutdown();
    }
  }

  /** Tells whether it was an error, whichever; it must not be granted. */
  private static boolean isRefused(Pawl pawl, String name) {
    try {
      Optional<Lease> lease = pawl.lock(name).tryAcquire();
      assertThat(lease).as("nobody knows until when it is held").isEmpty();
      return false;
    } catch (PawlException e) {
      return true;
    }
  }
}
