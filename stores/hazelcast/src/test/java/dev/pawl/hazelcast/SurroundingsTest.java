package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NearCacheConfig;
import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clusters and clients that the application has set up for other purposes than locks. */
class SurroundingsTest {

  private static final String EVERY_MAP = "default";

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  /** A node that bears a machine that stalls, and whose leases do so too. */
  private static Pawl patient(HazelcastStore store) {
    return Pawl.builder(store)
        .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(1)))
        .responseTimeout(Duration.ofMinutes(1))
        .build();
  }

  /** What is right for a cache: objects, which go after a second, and are read anywhere. */
  private static void asACache(Config config) {
    config.addMapConfig(
        new MapConfig(EVERY_MAP)
            .setInMemoryFormat(InMemoryFormat.OBJECT)
            .setTimeToLiveSeconds(1)
            .setReadBackupData(true)
            .setStatisticsEnabled(false)
            .setNearCacheConfig(new NearCacheConfig()));
    config.addMapConfig(
        new MapConfig("pawl.*")
            .setInMemoryFormat(InMemoryFormat.OBJECT)
            .setTimeToLiveSeconds(1)
            .setReadBackupData(true)
            .setStatisticsEnabled(false)
            .setNearCacheConfig(new NearCacheConfig()));
  }

  @Test
  void aMapThatIsConfiguredAsACacheForgetsNoLockAndNoRegister() throws Exception {
    try (Embedded members = new Embedded(0)) {
      HazelcastInstance first = members.add(SurroundingsTest::asACache);
      HazelcastInstance second = members.add(SurroundingsTest::asACache);
      try (HazelcastStore store = HazelcastStore.of(first, Clusters.PATIENT);
          HazelcastStore other = HazelcastStore.of(second, Clusters.PATIENT);
          Pawl pawl = patient(store);
          Pawl next = patient(other)) {
        Lease lease = pawl.lock("held").acquire();
        Register absent = of(store.registers().read("key"));
        Register written =
            ((RegisterReply.Written)
                    of(store.registers().compareAndSet(absent, Optional.of("value"))))
                .register();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        Waiting.until("the time to live is over", () -> System.nanoTime() > end);

        assertThat(next.lock("held").tryAcquire()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
        assertThat(of(other.registers().read("key"))).isEqualTo(written);
        lease.close();
        try (Lease later = next.lock("held").acquire()) {
          assertThat(later.token()).isGreaterThan(lease.token());
        }
        Waiting.until(
            "nothing is left", () -> first.getMap(HazelcastOptions.DEFAULT.locks()).isEmpty());
      }
    }
  }

  /** A near cache is told of a change within ten seconds, by default. */
  @Test
  void aNearCacheShowsNoOldRegister() throws Exception {
    try (Embedded members = new Embedded(1)) {
      HazelcastInstance client =
          Clusters.client(
              members.member(0),
              new ClientConfig().addNearCacheConfig(new NearCacheConfig(EVERY_MAP)));
      try (HazelcastStore store = HazelcastStore.of(members.member(0), Clusters.PATIENT);
          HazelcastStore near = HazelcastStore.of(client, Clusters.PATIENT)) {
        Register register = of(store.registers().read("key"));
        for (int i = 0; i < 20; i++) {
          register =
              ((RegisterReply.Written)
                      of(store.registers().compareAndSet(register, Optional.of("" + i))))
                  .register();
          assertThat(of(near.registers().read("key"))).isEqualTo(register);
        }
      } finally {
        client.shutdown();
      }
    }
  }

  /** What is sent is written by itself, and not by Java's serialization. */
  @Test
  void aFilterForJavaSerializationConcernsNothingOfPawls() throws Exception {
    try (Embedded members = new Embedded(0)) {
      HazelcastInstance first = members.add(SurroundingsTest::filtered);
      HazelcastInstance second = members.add(SurroundingsTest::filtered);
      try (HazelcastStore store = HazelcastStore.of(first, Clusters.PATIENT);
          HazelcastStore other = HazelcastStore.of(second, Clusters.PATIENT);
          Pawl pawl = patient(store);
          Pawl next = patient(other)) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          leases.add(pawl.lock("name " + i).acquire());
        }
        var waiting = next.lock("name 0").acquireAsync(Duration.ofMinutes(1));
        leases.forEach(Lease::confirm);
        assertThat(pawl.inspector().list("", 100)).hasSize(20);
        leases.get(0).close();
        waiting.get(60, TimeUnit.SECONDS).close();
        assertThat(of(store.examine())).isNotEmpty();
      }
    }
  }

  private static void filtered(Config config) {
    JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
    filter.getWhitelist().addClasses("org.example.Order"); // And what Hazelcast needs itself.
    config.getSerializationConfig().setJavaSerializationFilterConfig(filter);
  }

  @Test
  void aLiteMemberLocksAtTheOthers() throws Exception {
    try (Embedded members = new Embedded(1)) {
      HazelcastInstance lite = members.add(config -> config.setLiteMember(true));
      try (HazelcastStore store = HazelcastStore.of(lite, Clusters.PATIENT);
          Pawl pawl = patient(store);
          Pawl other = patient(store);
          Lease lease = pawl.lock("x").acquire()) {
        assertThat(lease.isHeld()).isTrue();
        assertThat(other.lock("x").tryAcquire()).isEmpty();
      }
    }
  }

  @Test
  void aClusterOfLiteMembersAloneIsAnOutageThatIsNamed() {
    try (Embedded members = new Embedded(0)) {
      HazelcastInstance lite = members.add(config -> config.setLiteMember(true));
      try (HazelcastStore store =
              HazelcastStore.of(
                  lite, HazelcastOptions.DEFAULT.withTimeout(Duration.ofSeconds(20)));
          Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofSeconds(1)).build()) {
        assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("has no member that keeps data");
      }
    }
  }

  @Test
  void aMemberThatIsShutDownBeforePawlIsAnOutageAndClosingGoesOn() throws Exception {
    try (Embedded members = new Embedded(1)) {
      HazelcastStore store = HazelcastStore.of(members.member(0), Clusters.PATIENT);
      Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofSeconds(1)).build();
      List<Lease> held = new ArrayList<>();
      Waiting.until("granted", () -> held.add(pawl.lock("x").acquire()));
      members.member(0).shutdown();
      assertThatThrownBy(() -> pawl.lock("y").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the HazelcastInstance was shut down");
      Waiting.until("it is lost at its deadline", () -> !held.get(0).isHeld());
      pawl.close();
      store.close();
    }
  }

  @Test
  void aClientThatIsShutDownBeforePawlIsAnOutageAlsoForWhatIsHeld() throws Exception {
    try (Embedded members = new Embedded(1)) {
      HazelcastInstance client = Clusters.client(members.member(0));
      HazelcastStore store = HazelcastStore.of(client, Clusters.PATIENT);
      Pawl pawl =
          Pawl.builder(store)
              .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(1)))
              .responseTimeout(Duration.ofSeconds(1))
              .build();
      List<Lease> held = new ArrayList<>();
      Waiting.until("granted", () -> held.add(pawl.lock("x").acquire()));
      client.shutdown();
      assertThatThrownBy(held.get(0)::confirm)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the HazelcastInstance was shut down");
      assertThat(store.shard("x")).isEmpty();
      assertThat(held.get(0).isHeld()).isTrue();
      pawl.close();
      store.close();
    }
  }
}
