package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.RespClient;
import dev.pawl.testservers.SentinelGroup;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I11: what a server says no with is an exception of the right type, and never a grant. */
class RedisErrorAnswersTest {

  private static final String NAME = "a";

  private static Command.Acquire acquire() {
    return new Command.Acquire(
        NAME,
        new ClaimId("n", 1),
        Command.EVERYTHING,
        Command.EVERYTHING,
        10_000_000,
        1,
        OptionalLong.empty(),
        true,
        true,
        "label",
        "actor");
  }

  private static Throwable failure(RedisStore store) throws Exception {
    try {
      Object reply = store.acquire(acquire()).toCompletableFuture().get(60, TimeUnit.SECONDS);
      throw new AssertionError("it answered " + reply);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  private static void assertGranted(RedisStore store) throws Exception {
    assertThat(store.acquire(acquire()).toCompletableFuture().get(60, TimeUnit.SECONDS))
        .isInstanceOf(AcquireReply.Granted.class);
  }

  /** Asks until there is an answer in time: a slow machine takes longer now and then. */
  private static void awaitGranted(RedisStore store) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      try {
        assertGranted(store);
        return;
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(System.nanoTime()).isLessThan(end);
      }
    }
  }

  /** A store that bears a server which is slow. */
  private static RedisStore open(RedisServer server, String client) {
    return RedisStore.open(server.url() + "?timeout=20s&client=" + client);
  }

  /** A store that takes the outcome for unknown soon. */
  private static RedisStore openHurried(RedisServer server, String client) {
    return RedisStore.open(server.url() + "?timeout=1s&client=" + client);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aReadOnlyReplicaIsUnavailable(String client) throws Exception {
    List<RedisServer> servers = SentinelGroup.startReplicated(1);
    try (RedisStore store = open(servers.get(1), client)) {
      assertThat(failure(store))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("READONLY");
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aClusterThatDoesNotAnswerLeavesTheOutcomeUnknown(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = RedisStore.open(cluster.url() + "?timeout=3s&client=" + client)) {
      awaitGranted(store);
      cluster.servers().forEach(RedisServer::pause);
      assertThat(failure(store)).isInstanceOf(OutcomeUnknownException.class);
      cluster.servers().forEach(RedisServer::resume);
    }
  }

  @Test
  void ofSeveralAttemptsOnAClusterAnEarlierOneMayHaveArrived() throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = RedisStore.open(cluster.url() + "?timeout=10s&client=jedis")) {
      assertGranted(store);
      // A connection that breaks, and then none: what was sent on the first is not known.
      cluster.servers().forEach(RedisServer::kill);
      assertThat(failure(store)).isInstanceOf(OutcomeUnknownException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aFullServerIsUnavailable(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = open(server, client)) {
      server.call("CONFIG", "SET", "maxmemory", "1");
      assertThat(failure(store))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("OOM");
      server.call("CONFIG", "SET", "maxmemory", "0");
      assertGranted(store);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aMissingPasswordIsForPeople(String client) {
    try (RedisServer server = RedisServer.start("--requirepass", "s3cret")) {
      assertThatThrownBy(() -> open(server, client).close())
          .isInstanceOf(PawlException.class)
          .isNotInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("NOAUTH");
      String wrong = server.url().replace("redis://", "redis://:wr0ng@") + "?client=" + client;
      assertThatThrownBy(() -> RedisStore.open(wrong))
          .isInstanceOf(PawlException.class)
          .hasMessageContaining("WRONGPASS")
          .hasMessageNotContaining("wr0ng");
      RedisStore.open(server.url().replace("redis://", "redis://:s3cret@") + "?client=" + client)
          .close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aKeyOfSomebodyElseIsForPeople(String client) throws Exception {
    String key = new RedisKeys("pawl").key(NAME);
    try (RedisServer server = RedisServer.start();
        RedisStore store = open(server, client)) {
      server.call("LPUSH", key, "x");
      assertThat(failure(store))
          .isExactlyInstanceOf(PawlException.class)
          .hasMessageContaining("WRONGTYPE");
      for (String value : new String[] {"x", "1", "", "\u0001", "[1,2]"}) {
        server.call("SET", key, value);
        assertThat(failure(store))
            .isExactlyInstanceOf(PawlException.class)
            .hasMessageContaining("not ours");
        assertThat(server.call("GET", key)).isEqualTo(value);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aKeyOfSomebodyElseCostsTheNamesThatAreRenewedWithItNothing(String client) throws Exception {
    RedisKeys keys = new RedisKeys("pawl");
    try (RedisServer server = RedisServer.start();
        RedisStore store = open(server, client)) {
      assertGranted(store);
      server.call("LPUSH", keys.key("list"), "x");
      server.call("SET", keys.key("text"), "x");
      List<Command.Renew> renewals =
          Stream.of("list", "text", NAME)
              .map(name -> new Command.Renew(name, acquire().claim(), 1, 10_000_000, "actor"))
              .toList();
      List<RenewReply> replies =
          store.renew(renewals).toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(replies).startsWith(new RenewReply.Gone(), new RenewReply.Gone()).hasSize(3);
      assertThat(replies.get(2)).isInstanceOf(RenewReply.Held.class);
      assertThat(server.call("GET", keys.key("text"))).isEqualTo("x");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerWithoutAPlaceForAnotherConnectionIsUnavailable(String client) {
    try (RedisServer server = RedisServer.start();
        RespClient only = new RespClient(server.port())) {
      assertThat(only.call("CONFIG", "SET", "maxclients", "1")).isEqualTo("OK");
      assertThatThrownBy(() -> open(server, client).close())
          .isInstanceOf(StoreUnavailableException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aStalledServerLeavesTheOutcomeUnknownAndADeadOneIsUnavailable(String client)
      throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = openHurried(server, client)) {
      server.pause();
      assertThat(failure(store)).isInstanceOf(OutcomeUnknownException.class);
      server.kill();
      long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      Throwable failure = failure(store);
      while (!(failure instanceof StoreUnavailableException) && System.nanoTime() < end) {
        assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
        failure = failure(store);
      }
      assertThat(failure).isInstanceOf(StoreUnavailableException.class);
    }
  }

  /** In the words of the first connection, and not in those of a client. */
  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerThatIsGoneIsToldWithTheReason(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = open(server, client)) {
      assertGranted(store);
      server.kill();
      untilUnavailable(
          store, "connection refused, nothing listens there; start Redis, or check host and port");
    }
  }

  /** It had worked: the port is the right one. */
  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerThatIsGoneBehindAProxyIsNotTakenForAnother(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        RedisStore store =
            RedisStore.open(
                "redis://127.0.0.1:" + proxy.port() + "?timeout=20s&client=" + client)) {
      assertGranted(store);
      server.kill();
      assertThatThrownBy(() -> store.subscribe("node", signal -> {}))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the connection was closed at once; check whether Redis runs");
    }
  }

  /** Those who wait go on waiting, and hear what is wrong. */
  @Test
  void aPasswordThatIsAnotherOneByNowIsTold() throws Exception {
    try (RedisServer server = RedisServer.start("--requirepass", "s3cret");
        RedisStore store =
            RedisStore.open(
                server.url().replace("redis://", "redis://:s3cret@") + "?timeout=20s")) {
      assertGranted(store);
      try (RespClient asking = new RespClient(server.port())) {
        asking.call("AUTH", "s3cret");
        asking.call("CONFIG", "SET", "requirepass", "an0ther");
        asking.call("CLIENT", "KILL", "TYPE", "normal");
      }
      untilUnavailable(store, "WRONGPASS: the user or the password is wrong");
    }
  }

  private static void untilUnavailable(RedisStore store, String reason) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    Throwable failure = failure(store);
    while (!failure.getMessage().contains(reason) && System.nanoTime() < end) {
      assertThat(failure)
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      assertThat(failure.getMessage()).doesNotContain("as what is not Redis does", "rejected");
      failure = failure(store);
    }
    assertThat(failure).isInstanceOf(StoreUnavailableException.class).hasMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerThatLoadsItsDataIsUnavailable(String client) throws Exception {
    // 800 ms for each of 20 keys; it answers in between, after every 2 MB.
    try (RedisServer server =
            RedisServer.start("--key-load-delay", "800000", "--rdbcompression", "no");
        RedisStore store = open(server, client)) {
      for (int i = 0; i < 20; i++) {
        server.call("SET", "key-" + i, "x".repeat(2_200_000));
      }
      server.call("SAVE");
      server.kill();
      server.startAgainLoading();
      long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
      Throwable failure = failure(store);
      while (!failure.getMessage().contains("LOADING") && System.nanoTime() < end) {
        assertThat(failure)
            .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
        failure = failure(store);
      }
      assertThat(failure)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("LOADING");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "CLUSTERDOWN The cluster is down",
    "TRYAGAIN Multiple keys request during rehashing of slot",
    "ERR Error running script (call to f_ab): @user_script:60: @user_script: 60: -READONLY You can't",
    "MISCONF Redis is configured to save RDB snapshots",
    "NOREPLICAS Not enough good replicas to write."
  })
  void whatPassesIsUnavailable(String answer) {
    assertThat(RedisErrors.answered("redis://x", answer, new IllegalStateException(answer)))
        .isInstanceOf(StoreUnavailableException.class);
  }
}
