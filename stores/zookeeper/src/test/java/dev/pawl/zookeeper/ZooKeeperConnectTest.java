package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.testservers.TlsIdentity;
import dev.pawl.testservers.ZooKeeperServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By URL, with users, ACLs and TLS; and over the client that an application has. */
class ZooKeeperConnectTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static ZooKeeperServer server;

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A node that bears a machine that stalls. */
  private static Pawl patient(String url) {
    return Pawl.builder(url).responseTimeout(LONG).build();
  }

  /** None that the system gives to connections: it is still free when the server wants it. */
  private static int portForAServer() throws IOException {
    int first = 61_000 + ThreadLocalRandom.current().nextInt(4_000);
    for (int port = first; ; port++) {
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (BindException e) {
        assertThat(port).as("a port that is free").isLessThan(65_535);
      }
    }
  }

  @Test
  void aUrlOpensIt() throws Exception {
    try (Pawl pawl = patient("zk://" + server.address() + "/apps/pawl?sessionTimeout=20s");
        Looker looker = new Looker(server.address())) {
      pawl.lock("x").acquire().close();
      assertThat(looker.children("/apps/pawl")).contains("locks", "marks", "sessions", "journal");
    }
  }

  @Test
  void whatAUserMadeIsOnlyForThatUser() throws Exception {
    String url = "zk://alice:s%3Acret@" + server.address() + "/alice";
    try (Pawl alice = patient(url);
        Looker looker = new Looker(server.address())) {
      Lease lease = alice.lock("x").acquire();
      assertThatThrownBy(() -> looker.zk.getChildren("/alice/locks", false))
          .isInstanceOf(KeeperException.NoAuthException.class);
      lease.close();
      assertThatThrownBy(
              () -> patient("zk://bob:guess@" + server.address() + "/alice").lock("x").acquire())
          .isInstanceOf(PawlException.class)
          .hasMessageContaining("ACL")
          .hasMessageNotContaining("guess");
    }
  }

  @Test
  void whatIsWrongWithAUrlIsSaidInOneLine() {
    for (Map.Entry<String, String> wrong :
        Map.of(
                "zk://h?sesionTimeout=3s", "unknown parameter \"sesionTimeout\"",
                "zk://h:x", "a port is \"x\"",
                "zk://", "a host is missing",
                "zk://h/a//b", "root is",
                "zk://h/zookeeper/x", "ZooKeeper's own",
                "zk://alice@h", "USER:PASSWORD",
                "zk://h?strategy=unfair", "strategy is \"unfair\"; allowed is fair or simple",
                "zk://h?sessionTimeout=3", "no duration",
                "zk://h?trustStore=x", "for tls=true")
            .entrySet()) {
      assertThatThrownBy(() -> Pawl.connect(wrong.getKey()))
          .as(wrong.getKey())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(wrong.getValue())
          .message()
          .as("it says what to write instead")
          .containsPattern("write (it|USER)|allowed is|root is|for tls=true");
    }
  }

  @Test
  void aMalformedUrlIsAnsweredWithTheRightForm() {
    for (String wrong : new String[] {"zk://", "zk://h:x", "zk://alice@h", "zk://h?x=1"}) {
      assertThatThrownBy(() -> Pawl.connect(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("write it like zk://HOST[:PORT],…[/ROOT]");
    }
  }

  @Test
  void aServerThatIsNotThereIsNamed() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    assertThatThrownBy(() -> Pawl.connect("zk://u:secret@127.0.0.1:" + port))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("127.0.0.1:" + port + ": connection refused, nothing listens there")
        .hasMessageNotContaining("secret");
  }

  @Test
  void aClientOfTheApplicationIsUsedAndLeftAsItWas() throws Exception {
    try (CuratorFramework client =
            CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .namespace("shop")
                .retryPolicy(new RetryOneTime(100))
                .build();
        Looker looker = new Looker(server.address())) {
      client.start();
      ZooKeeperStore store = ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT);
      Pawl pawl = Pawl.builder(store).responseTimeout(LONG).build();
      Lease lease = pawl.lock("mine").acquire(LONG);
      assertThat(looker.nodesOf("/shop/pawl", "mine")).isEqualTo(2);
      lease.close();
      var unused = pawl.lock("forgotten").acquireAsync(LONG).get(30, TimeUnit.SECONDS);
      store.close(); // Before its node, which therefore cannot give anything back.
      eventually(
          "no claim is left in a session that goes on",
          () -> looker.nodesOf("/shop/pawl", "forgotten") <= 1);
      pawl.close();
      assertThat(client.checkExists().forPath("/pawl")).as("the client still works").isNotNull();
    }
  }

  @Test
  void itSpeaksTls(@TempDir Path directory) throws Exception {
    TlsIdentity identity = TlsIdentity.make(directory, "ip:127.0.0.1,dns:localhost");
    Path password = Files.writeString(directory.resolve("password"), TlsIdentity.PASSWORD);
    int port = portForAServer();
    try (ZooKeeperServer secure =
        ZooKeeperServer.start(
            Map.of(
                "secureClientPort",
                "" + port,
                "secureClientPortAddress",
                "127.0.0.1",
                "serverCnxnFactory",
                "org.apache.zookeeper.server.NettyServerCnxnFactory",
                "ssl.keyStore.location",
                directory.resolve("server.p12").toString(),
                "ssl.keyStore.password",
                TlsIdentity.PASSWORD,
                "ssl.clientAuth",
                "none"))) {
      String url =
          "zk://127.0.0.1:"
              + port
              + "?tls=true&trustStore="
              + identity.trustStore()
              + "&trustStorePasswordFile="
              + password;
      try (Pawl pawl = patient(url)) {
        pawl.lock("secret").acquire(LONG).close();
      }
    }
  }
}
