package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Slots;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.redis.store.RedisProtocol;
import dev.pawl.redis.store.Scripts;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A slot that is on two masters, for as long as a resharding takes or was left half done. */
class MovingSlotTest {

  private static final RedisKeys KEYS = new RedisKeys("pawl");
  private static final String NAME = "a";
  private static final int SLOT = Slots.of(KEYS.key(NAME));

  /** Another name of the same slot. */
  private static final String OTHER =
      IntStream.iterate(0, i -> i + 1)
          .mapToObj(i -> "other-" + i)
          .filter(name -> Slots.of(KEYS.key(name)) == SLOT)
          .findFirst()
          .orElseThrow();

  private static RedisStore open(RedisCluster cluster, String client) {
    return RedisStore.open(cluster.url() + "?timeout=20s&client=" + client);
  }

  private static RedisServer another(RedisCluster cluster) {
    RedisServer from = cluster.masterOf(SLOT);
    return cluster.servers().stream().filter(server -> server != from).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void namesThatAreOnTwoServersAreRenewed(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = open(cluster, client)) {
      assertThat(of(store.acquire(claim(NAME)))).isInstanceOf(AcquireReply.Granted.class);
      assertThat(of(store.acquire(claim(OTHER)))).isInstanceOf(AcquireReply.Granted.class);
      RedisServer to = another(cluster);
      RedisServer from = cluster.beginMove(SLOT, to);
      cluster.moveKey(KEYS.key(OTHER), from, to);

      assertThat(of(store.renew(List.of(renewal(NAME), renewal(OTHER)))))
          .hasSize(2)
          .allMatch(RenewReply.Held.class::isInstance);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void whoWaitsForReplicasIsSentOnToTheOtherServer(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = open(cluster, client)) {
      RedisServer to = another(cluster);
      cluster.beginMove(SLOT, to);
      assertThat(acquireReplicated(store, NAME)).isInstanceOf(AcquireReply.Granted.class);
      assertThat(to.call("CLUSTER", "COUNTKEYSINSLOT", "" + SLOT)).isEqualTo(1L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void whoWaitsForReplicasFollowsASlotThatHasMoved(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = open(cluster, client)) {
      assertThat(acquireReplicated(store, NAME)).isInstanceOf(AcquireReply.Granted.class);
      cluster.move(SLOT, another(cluster));
      assertThat(acquireReplicated(store, NAME)).isInstanceOf(AcquireReply.Granted.class);
      assertThat(acquireReplicated(store, OTHER)).isInstanceOf(AcquireReply.Granted.class);
    }
  }

  /** By the way of those who wait for replicas; for none of them, since there are none. */
  private static AcquireReply acquireReplicated(RedisStore store, String name) throws Exception {
    Command.Acquire claim = claim(name);
    RedisPort.Replicated answer =
        of(
            store
                .port()
                .evalReplicated(
                    Scripts.CLUSTERED.acquire(),
                    List.of(KEYS.key(name)),
                    RedisProtocol.arguments(claim),
                    0,
                    Duration.ofSeconds(1)));
    return RedisProtocol.acquireReply(claim, answer.answer());
  }

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static Command.Acquire claim(String name) {
    return new Command.Acquire(
        name,
        new ClaimId("n", 1),
        Command.EVERYTHING,
        Command.EVERYTHING,
        60_000_000,
        1,
        OptionalLong.empty(),
        false,
        false,
        "label",
        "actor");
  }

  private static Command.Renew renewal(String name) {
    return new Command.Renew(name, new ClaimId("n", 1), Command.EVERYTHING, 60_000_000, "actor");
  }
}
