package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.HazelcastCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Opening a store: what works, and what is said where it does not. */
class HazelcastConnectTest {

  private static HazelcastCluster cluster;

  @BeforeAll
  static void start() {
    cluster = HazelcastCluster.start(1, Clusters.withPawl());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void aUrlOpensAStoreOfItsOwn() throws Exception {
    try (Pawl pawl =
            Pawl.builder(cluster.url() + "?timeout=30s&connectTimeout=2m")
                .responseTimeout(Duration.ofMinutes(1))
                .build();
        Lease lease = pawl.lock("invoice:42").acquire()) {
      assertThat(lease.isHeld()).isTrue();
    }
  }

  /** Whoever it is not connected to cannot confirm that it has the backup. */
  @Test
  void itsClientIsConnectedToAllMembersBeforeTheFirstCall() {
    try (HazelcastCluster three = HazelcastCluster.start(3, Clusters.withPawl())) {
      String patient = three.url() + "?timeout=30s&connectTimeout=2m";
      HazelcastInstance client =
          HazelcastClients.connect(HazelcastUrl.parse(patient), Clusters.PATIENT);
      try {
        assertThat(((HazelcastClientProxy) client).client.getConnectionManager())
            .satisfies(connections -> assertThat(connections.getActiveConnections()).hasSize(3));
      } finally {
        client.shutdown();
      }
    }
  }

  @Test
  void anInstanceOfTheApplicationStaysOpen() throws Exception {
    HazelcastInstance client = Clusters.client(cluster);
    try {
      HazelcastStore store = HazelcastStore.of(client, Clusters.PATIENT);
      try (Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofMinutes(1)).build()) {
        pawl.lock("mine").acquire().close();
      }
      store.close();
      assertThat(client.getLifecycleService().isRunning()).isTrue();
      assertThat(store.describe())
          .isEqualTo("hazelcast://" + cluster.name() + " by way of " + client.getName());
    } finally {
      client.shutdown();
    }
  }

  @Test
  void aStoreWhoseInstanceIsGoneIsAnOutageAndNeverBusy() {
    HazelcastInstance client = Clusters.client(cluster);
    HazelcastStore store = HazelcastStore.of(client, Clusters.PATIENT);
    try (Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofMillis(300)).build()) {
      client.shutdown();
      assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the HazelcastInstance was shut down");
    }
  }

  @Test
  void whereNobodyListensIsSaid() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    assertThatThrownBy(
            () ->
                HazelcastStore.open("hazelcast://dev@127.0.0.1:" + port + "?connectTimeout=500ms"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage(
            "cannot connect to hazelcast://dev@127.0.0.1:%d within 500 ms; is a member running"
                + " there?",
            port);
  }

  @Test
  void anotherClusterIsSaid() {
    String url = cluster.url().replace(cluster.name(), "other");
    assertThatThrownBy(() -> HazelcastStore.open(url + "?connectTimeout=2s"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("does not accept a client of cluster \"other\"");
  }

  @Test
  void membersWithoutPawlAreRefusedWithTheReason() {
    try (HazelcastCluster bare = HazelcastCluster.start(1, Clusters.withoutPawl())) {
      assertThatThrownBy(() -> HazelcastStore.open(bare.url(), Clusters.PATIENT))
          .isExactlyInstanceOf(PawlException.class)
          .hasMessageContaining("a member does not have Pawl on its class path")
          .hasMessageContaining("add pawl-hazelcast and pawl-core to the members");
    }
  }
}
