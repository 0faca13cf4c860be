package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many claims on one name. */
class RedisCrowdTest {

  private static final int READERS = 250;

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
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

  private static Command.Acquire reader(String name, ClaimId claim) {
    return new Command.Acquire(
        name,
        claim,
        1,
        Command.EVERYTHING,
        60_000_000,
        1,
        OptionalLong.empty(),
        true,
        true,
        "label",
        "actor");
  }
}
