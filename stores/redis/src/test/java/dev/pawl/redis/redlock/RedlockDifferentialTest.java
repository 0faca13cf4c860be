package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.SettableClock;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The same random commands to Redlock's scripts and to the simulated server, which is the machine
 * with a least token: every reply is equal. No claim is told to have ended: the simulation would
 * raise the token for it all the same.
 */
class RedlockDifferentialTest {

  private static final int SEQUENCES = 60;
  private static final int COMMANDS = 100;
  private static final int[] STEPS = {200, 200, 200, 10_000, 10_000, 4_000_000};
  private static final String NAME = "we{i}rd }{ näme";

  @Test
  void aServerOfRedlockDoesWhatTheMachineDoes() throws Exception {
    long base = Long.getLong("pawl.seed", 1);
    try (RedisServer server = RedisServer.start();
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      for (int i = 0; i < SEQUENCES; i++) {
        server.call("FLUSHALL");
        run(port, base + i);
      }
    }
  }

  private static void run(RedisPort port, long seed) throws Exception {
    Random random = new Random(seed);
    SettableClock clock = new SettableClock(port);
    RedlockServer real =
        new RemoteServer(
            clock,
            new RedisKeys("pawl"),
            Duration.ofSeconds(10),
            Duration.ZERO,
            SettableClock.REDLOCK_SCRIPTS);
    SimulatedServer simulated = new SimulatedServer(() -> clock.nowMicros, new Random(0));
    List<Object> sent = new ArrayList<>();
    long lastToken = 0;
    for (int i = 0; i < COMMANDS; i++) {
      clock.nowMicros += random.nextInt(STEPS[random.nextInt(STEPS.length)]);
      // New ones now and then: those that were released by force get nothing any more.
      ClaimId claim = new ClaimId("n" + random.nextInt(2), 1 + i / 10 + random.nextInt(2));
      // The simulation knows a least token only of a name that nobody holds.
      long floor =
          simulated.hasHolders(NAME) || random.nextInt(3) == 0
              ? 0
              : clock.nowMicros + random.nextInt(60_000) - 10_000;
      Command.Acquire acquire = acquire(claim, random);
      long used = random.nextBoolean() ? lastToken : lastToken + random.nextInt(60) - 3;
      Command.Release release = new Command.Release(NAME, claim, used, OptionalLong.empty(), false);
      Object expected;
      Object reply;
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          sent.add(List.of(acquire, floor));
          expected = of(simulated.acquire(acquire, floor));
          reply = of(real.acquire(acquire, floor));
        }
        case 3, 4 -> {
          sent.add(release);
          expected = of(simulated.release(release));
          reply = of(real.release(release));
        }
        case 5 -> {
          Command.Cancel cancel = new Command.Cancel(NAME, claim, false);
          sent.add(cancel);
          expected = of(simulated.cancel(cancel));
          reply = of(real.cancel(cancel));
        }
        case 6 -> {
          Command.Renew renew = new Command.Renew(NAME, claim, Command.EVERYTHING, 900_000, "r");
          sent.add(renew);
          expected = of(simulated.renew(List.of(renew)));
          reply = of(real.renew(List.of(renew)));
        }
        default -> {
          Command.Evict evict = new Command.Evict(NAME, lastToken);
          sent.add(evict);
          expected = of(simulated.evict(evict));
          reply = of(real.evict(evict));
        }
      }
      assertThat(reply).as("seed %d, at %d: %s", seed, clock.nowMicros, sent).isEqualTo(expected);
      if (reply instanceof AcquireReply.Granted granted) {
        lastToken = granted.grant().token();
      }
    }
  }

  private static Command.Acquire acquire(ClaimId claim, Random random) {
    return new Command.Acquire(
        NAME,
        claim,
        random.nextInt(3) == 0 ? 1 : Command.EVERYTHING,
        Command.EVERYTHING,
        random.nextInt(4) == 0 ? 500 + random.nextInt(40_000) : 500_000 + random.nextInt(5_000_000),
        1 + random.nextInt(65),
        OptionalLong.empty(),
        false,
        false,
        "läbel",
        "thread");
  }

  private static <T> T of(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
