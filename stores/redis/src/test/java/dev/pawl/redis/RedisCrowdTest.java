package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many claims on one name. */
class RedisCrowdTest {

  private static final int READERS = 250;

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static void ofAll(List<CompletionStage<?>> answers) throws Exception {
    for (CompletionStage<?> answer : answers) {
      of(answer);
    }
  }

  @Test
  void theClaimsOfANameAreRenewedWithOneReadAndOneWrite() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?timeout=30s")) {
      List<Command.Renew> renewals = new ArrayList<>();
      for (int i = 1; i <= READERS; i++) {
        for (String name : List.of("a", "b")) {
          ClaimId claim = new ClaimId("n", i);
          assertThat(of(store.acquire(reader(name, claim))))
              .isInstanceOf(AcquireReply.Granted.class);
          renewals.add(new Command.Renew(name, claim, 1, 60_000_000, "actor"));
        }
      }
      of(store.renew(renewals)); // The server knows the script from here on.
      server.resetStatistics();

      List<RenewReply> replies = of(store.renew(renewals));

      assertThat(server.count("get")).isEqualTo(2);
      assertThat(server.count("set")).isEqualTo(2);
      assertThat(replies).hasSize(2 * READERS);
      for (int i = 0; i < replies.size(); i++) {
        assertThat(((RenewReply.Held) replies.get(i)).grant().claim())
            .isEqualTo(renewals.get(i).claim());
      }
    }
  }

  @Test
  void whoIsNotLookedAtInALongQueueIsNotWritten() throws Exception {
    // Of those at its head, who is silent for two seconds loses his place.
    Measurement.whereNothingStalls(RedisCrowdTest::moveALongQueue);
  }

  private static void moveALongQueue() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?timeout=30s")) {
      of(store.acquire(writer(1, "label", "actor"))); // The server knows the script from here on.
      List<CompletionStage<?>> sent = new ArrayList<>();
      for (int i = 2; i <= 200; i++) {
        sent.add(store.acquire(writer(i, "label", "actor")));
      }
      ofAll(sent);
      of(store.release(release(1))); // This one, too.
      server.resetStatistics();

      for (int i = 2; i <= 11; i++) {
        sent.add(store.release(release(i)));
        sent.add(store.acquire(writer(200 + i, "label", "actor")));
      }
      ofAll(sent);

      assertThat(server.count("get")).isEqualTo(20);
      assertThat(server.count("set")).as("tries of a name that nobody uses").isEqualTo(10);
      assertThat(server.count("setrange")).isEqualTo(20);
      assertThat(server.count("append")).isEqualTo(10);
      assertThat(of(store.find("w")).orElseThrow().waiters())
          .extracting(LockInfo.Waiter::claim)
          .containsExactlyElementsOf(
              IntStream.rangeClosed(13, 211)
                  .filter(i -> i != 201)
                  .mapToObj(i -> claim(i).toString())
                  .toList());
    }
  }

  /** By a clock of the test: no waiter is silent for too long. */
  @Test
  void whateverAWaiterIsCalledTheOthersKeepTheirPlaces() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      SettableClock clock = new SettableClock(port);
      RedisStore store = new RedisStore(clock, RedisOptions.DEFAULT, SettableClock.SCRIPTS);
      of(store.acquire(writer(1, "label", "actor")));
      List<String> odd = List.of("", "\n", "a\nb\n1", "\u0001n/3\n", "\u0000", "%s%z", "é鎖");
      for (int i = 0; i < odd.size(); i++) {
        of(store.acquire(writer(2 + i, odd.get(i), odd.get(i))));
      }
      assertThat(of(store.find("w")).orElseThrow().waiters())
          .extracting(LockInfo.Waiter::label)
          .containsExactly("", "\n", "a\nb\n1", " n/3\n", "\u0000", "%s%z", "é鎖");
      for (int i = 1; i <= odd.size() + 1; i++) {
        Command.Renew renewal =
            new Command.Renew("w", claim(i), Command.EVERYTHING, 60_000_000, "\u0001");
        assertThat(of(store.renew(List.of(renewal))).get(0)).isInstanceOf(RenewReply.Held.class);
        clock.nowMicros++;
        assertThat(of(store.release(release(i)))).isEqualTo(ReleaseReply.RELEASED);
      }
    }
  }

  private static ClaimId claim(long counter) {
    return new ClaimId("n", counter);
  }

  private static Command.Release release(long counter) {
    return new Command.Release("w", claim(counter), 0, OptionalLong.empty(), false);
  }

  private static Command.Acquire reader(String name, ClaimId claim) {
    return acquire(name, claim, 1, "label", "actor");
  }

  private static Command.Acquire writer(long counter, String label, String actor) {
    return acquire("w", claim(counter), Command.EVERYTHING, label, actor);
  }

  private static Command.Acquire acquire(
      String name, ClaimId claim, int permits, String label, String actor) {
    return new Command.Acquire(
        name,
        claim,
        permits,
        Command.EVERYTHING,
        600_000_000,
        1,
        OptionalLong.empty(),
        true,
        true,
        label,
        actor);
  }
}
