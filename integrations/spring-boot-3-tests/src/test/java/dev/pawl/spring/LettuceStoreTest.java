package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
import dev.pawl.testservers.TlsIdentity;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.resource.EpollProvider;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The store over a connection factory is where its own connections go, and logs in as they do. */
class LettuceStoreTest {

  private static final LettuceClientConfiguration PLAIN =
      LettuceClientConfiguration.builder().clientName("shop").build();

  @TempDir Path directory;

  private static void with(
      RedisConfiguration server,
      LettuceClientConfiguration client,
      Consumer<AssertableApplicationContext> check) {
    with(() -> factory(server, client), check);
  }

  private static void with(
      Supplier<LettuceConnectionFactory> factory, Consumer<AssertableApplicationContext> check) {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PawlAutoConfiguration.class))
        .withBean(LettuceConnectionFactory.class, factory)
        .run(check::accept);
  }

  /** By the constructor that Spring Boot calls. */
  private static LettuceConnectionFactory factory(
      RedisConfiguration server, LettuceClientConfiguration client) {
    return server instanceof RedisStandaloneConfiguration one
        ? new LettuceConnectionFactory(one, client)
        : new LettuceConnectionFactory(server, client);
  }

  private static Pawl pawl(AssertableApplicationContext context) {
    assertThat(context).hasNotFailed();
    return context.getBean(Pawl.class);
  }

  private static void assertLocks(Pawl pawl) {
    try (Lease lease = pawl.lock("a").tryAcquire().orElseThrow()) {
      assertThat(lease.isHeld()).isTrue();
    }
  }

  /** After a fail-over, when the client has found the new master. */
  private static void assertLocksAgain(Pawl pawl, String name) {
    long start = System.nanoTime();
    while (true) {
      String why = "held by a claim whose reply was lost, until its lease ends";
      try {
        Optional<Lease> lease = pawl.lock(name).tryAcquire();
        if (lease.isPresent()) {
          lease.get().close();
          return;
        }
      } catch (PawlException e) {
        why = e.getMessage();
      }
      assertThat(System.nanoTime() - start).as(why).isLessThan(TimeUnit.SECONDS.toNanos(60));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static List<RedisNode> nodes(String hosts) {
    return List.of(hosts.split(",", -1)).stream()
        .map(each -> URI.create("redis://" + each))
        .map(each -> new RedisNode(each.getHost(), each.getPort()))
        .toList();
  }

  private static RedisSentinelConfiguration sentinels(String hosts) {
    RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
    configuration.setMaster("pawl");
    nodes(hosts).forEach(configuration::addSentinel);
    return configuration;
  }

  private static String hosts(String url) {
    return URI.create(url).getRawAuthority();
  }

  @Test
  void theUserTheDatabaseAndTheNameOfTheFactoryAreUsed() {
    try (RedisServer server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "locks", "on", ">s3cret", "~*", "&*", "+@all");
      RedisStandaloneConfiguration at =
          new RedisStandaloneConfiguration("127.0.0.1", server.port());
      at.setUsername("locks");
      at.setPassword(RedisPassword.of("s3cret"));
      at.setDatabase(3);
      with(
          at,
          PLAIN,
          context -> {
            assertThat(pawl(context).lock("kept").tryAcquire()).isPresent();
            assertThat(server.call("INFO", "keyspace").toString()).contains("db3:");
            assertThat(server.call("CLIENT", "LIST").toString())
                .containsPattern("name=shop .*user=locks");
          });
      at.setPassword(RedisPassword.of("guessed"));
      with(
          at,
          PLAIN,
          context ->
              assertThat(context)
                  .getFailure()
                  .rootCause()
                  .hasMessageContaining("WRONGPASS")
                  .hasMessageNotContaining("guessed"));
    }
  }

  @Test
  void theUserOfAFactoryThatDoesNotShowItIsUsed() {
    try (RedisServer server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "locks", "on", ">s3cret", "~*", "&*", "+@all");
      server.call("ACL", "SETUSER", "mute", "on", ">s3cret", "~*", "&*", "+@all", "-acl");
      RedisStandaloneConfiguration at =
          new RedisStandaloneConfiguration("127.0.0.1", server.port());
      at.setUsername("locks");
      at.setPassword(RedisPassword.of("s3cret"));
      RedisConfiguration any = at;
      with(
          () -> new LettuceConnectionFactory(any, PLAIN),
          context -> {
            assertLocks(pawl(context));
            assertThat(server.call("CLIENT", "LIST").toString())
                .containsPattern("name=shop .*user=locks");
          });
      at.setUsername("mute");
      with(
          () -> new LettuceConnectionFactory(any, PLAIN),
          context ->
              assertThat(context)
                  .getFailure()
                  .rootCause()
                  .hasMessageContaining("does not show its user")
                  .hasMessageContaining("RedisStandaloneConfiguration"));
    }
  }

  @Test
  void aCredentialsProviderIsAsked() {
    try (RedisServer server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "locks", "on", ">rotated", "~*", "&*", "+@all");
      server.call("ACL", "SETUSER", "default", "off");
      LettuceClientConfiguration rotating =
          LettuceClientConfiguration.builder()
              .redisCredentialsProviderFactory(
                  new RedisCredentialsProviderFactory() {
                    @Override
                    public RedisCredentialsProvider createCredentialsProvider(
                        RedisConfiguration configuration) {
                      return new StaticCredentialsProvider("locks", "rotated".toCharArray());
                    }
                  })
              .build();
      with(
          new RedisStandaloneConfiguration("127.0.0.1", server.port()),
          rotating,
          context -> assertLocks(pawl(context)));
    }
  }

  @Test
  void aSocketOfThisMachineIsUsed() {
    assumeTrue(
        EpollProvider.isAvailable(), "there is no netty-transport-native-epoll, so no socket");
    Path socket = directory.resolve("redis.sock");
    try (RedisServer server = RedisServer.start("--unixsocket", socket.toString())) {
      with(
          new RedisSocketConfiguration(socket.toString()),
          PLAIN,
          context -> {
            assertLocks(pawl(context));
            assertThat(server.call("CLIENT", "LIST").toString())
                .containsPattern("addr=" + socket + ".*name=shop");
          });
    }
  }

  @Test
  void sentinelsThatAskForALoginNameTheMasterAndTheNextOne() {
    try (SentinelGroup group = SentinelGroup.start(1, Duration.ofSeconds(1))) {
      group
          .servers()
          .forEach(each -> each.call("ACL", "SETUSER", "locks", "on", ">m", "~*", "&*", "+@all"));
      group.protectSentinels("watcher", "s");
      RedisSentinelConfiguration at = sentinels(hosts(group.url()));
      at.setUsername("locks");
      at.setPassword("m");
      at.setSentinelUsername("watcher");
      at.setSentinelPassword("s");
      with(
          at,
          PLAIN,
          context -> {
            Pawl pawl = pawl(context);
            assertLocksAgain(pawl, "a"); // A master that stood still for a second is replaced.
            assertThat(pawl.store().describe()).isEqualTo("redis-sentinel://pawl");
            group.servers().get(0).kill();
            assertLocksAgain(pawl, "b");
          });
    }
  }

  /** Once is enough, if time is short. */
  static boolean isNewestOrLong() {
    return Boolean.getBoolean("pawl.long") || !SpringBootVersion.getVersion().startsWith("3.");
  }

  @Test
  @EnabledIf(
      value = "isNewestOrLong",
      disabledReason = "a cluster with the newest Spring Boot; with this one -Dpawl.long=true")
  void aClusterIsFoundByWhicheverServerIsUpAndThroughAFailOver() {
    try (RedisCluster cluster =
        RedisCluster.startReplicated(RedisBinary.bundled(), Duration.ofSeconds(1))) {
      cluster
          .live()
          .forEach(each -> each.call("ACL", "SETUSER", "locks", "on", ">m", "~*", "&*", "+@all"));
      RedisClusterConfiguration at = new RedisClusterConfiguration();
      at.addClusterNode(new RedisNode("127.0.0.1", 1)); // Nobody is there.
      nodes(hosts(cluster.url())).forEach(at::addClusterNode);
      at.setUsername("locks");
      at.setPassword("m");
      with(
          at,
          PLAIN,
          context -> {
            Pawl pawl = pawl(context);
            assertLocksAgain(pawl, "a"); // A master that stood still for a second is replaced.
            cluster.servers().get(0).kill();
            for (int i = 0; i < 20; i++) { // Of each server some.
              assertLocksAgain(pawl, "b" + i);
            }
          });
    }
  }

  private LettuceClientConfiguration trusting(TlsIdentity identity) {
    SslOptions trust =
        SslOptions.builder()
            .truststore(identity.trustStore().toFile(), TlsIdentity.PASSWORD)
            .build();
    return LettuceClientConfiguration.builder()
        .useSsl()
        .and()
        .clientOptions(ClientOptions.builder().sslOptions(trust).build())
        .build();
  }

  @Test
  void serversAndSentinelsAreAskedThroughTls() {
    assumeTrue(
        RedisBinary.installed().isPresent(), "there is no redis-server on the PATH, so no TLS");
    String binary = RedisBinary.installed().get();
    TlsIdentity identity = TlsIdentity.make(directory, "ip:127.0.0.1");
    LettuceClientConfiguration tls = trusting(identity);
    try (RedisServer server = RedisServer.startTls(binary, identity)) {
      with(
          new RedisStandaloneConfiguration("127.0.0.1", server.tlsPort()),
          tls,
          context -> assertLocks(pawl(context)));
    }
    try (SentinelGroup group = SentinelGroup.startTls(binary, identity)) {
      with(sentinels(group.tlsHosts()), tls, context -> assertLocks(pawl(context)));
    }
  }

  @Test
  void aListOfReplicasIsRefusedInsteadOfTakenForLocalhost() {
    RedisStaticMasterReplicaConfiguration at =
        new RedisStaticMasterReplicaConfiguration("10.255.255.1", 6379);
    at.addNode("10.255.255.2", 6379);
    with(
        at,
        PLAIN,
        context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("a master and its replicas")
                .hasMessageContaining("pawl.store"));
  }
}
