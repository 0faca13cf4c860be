package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One of Redlock's servers, real, as its port shows it. */
class RemoteServerTest {

  @Test
  void aVoteThatIsTakenBackIsGoneBeforeItIsAskedForAgain() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      RemoteServer voter = voter(port);
      Command.Acquire claim = claim();
      assertThat(of(voter.acquire(claim, 1))).isInstanceOf(AcquireReply.Granted.class);

      // The server has never heard of the script that takes it back: that one is sent twice.
      server.pause();
      var takenBack = voter.takeBack(claim);
      var askedAgain = voter.acquire(claim, 1);
      server.resume();

      of(takenBack);
      assertThat(of(askedAgain)).isInstanceOf(AcquireReply.Granted.class);
      assertThat(of(voter.release(release(claim)))).isEqualTo(ReleaseReply.RELEASED);
    }
  }

  @Test
  void aVoteThatIsTakenBackBeforeItCouldBeAskedForIsNotGivenAfterwards() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      RemoteServer voter = voter(port);
      server.pause();
      var unused = voter.takeBack(claim());
      var asked = voter.acquire(claim(), 1);
      var takenBack = voter.takeBack(claim());
      server.resume();

      of(asked);
      of(takenBack);
      assertThat(of(voter.acquire(stranger(), 1))).isInstanceOf(AcquireReply.Granted.class);
    }
  }

  @Test
  void aVoteWhoseScriptIsSentTwiceIsTakenBackBehindIt() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      RemoteServer voter = voter(port);
      // Somebody else has taken a vote back since the server was started.
      server.call("SCRIPT", "LOAD", RedlockScripts.STANDARD.cancel().text());
      server.pause();
      var asked = voter.acquire(claim(), 1);
      var takenBack = voter.takeBack(claim());
      server.resume();

      of(asked);
      of(takenBack);
      assertThat(of(voter.acquire(stranger(), 1))).isInstanceOf(AcquireReply.Granted.class);
    }
  }

  private static RemoteServer voter(RedisPort port) {
    return new RemoteServer(port, new RedisKeys("pawl"), Duration.ofSeconds(10), Duration.ZERO);
  }

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private static Command.Acquire claim() {
    return claim(new ClaimId("n", 1));
  }

  private static Command.Acquire stranger() {
    return claim(new ClaimId("stranger", 1));
  }

  private static Command.Acquire claim(ClaimId id) {
    return new Command.Acquire(
        "a",
        id,
        Command.EVERYTHING,
        Command.EVERYTHING,
        10_000_000,
        1,
        OptionalLong.empty(),
        false,
        false,
        "label",
        "actor");
  }

  private static Command.Release release(Command.Acquire claim) {
    return new Command.Release(claim.name(), claim.claim(), 0, OptionalLong.empty(), false);
  }
}
