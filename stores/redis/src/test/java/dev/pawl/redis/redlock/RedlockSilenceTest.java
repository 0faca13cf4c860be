package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.ForwardingPort;
import dev.pawl.redis.ListeningCluster;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a node keeps for a server of Redlock that says nothing: next to nothing. */
class RedlockSilenceTest {

  /** Counts what is sent. */
  private static final class Counting extends ForwardingPort {
    private final AtomicInteger sent = new AtomicInteger();

    Counting(RedisPort port) {
      super(port);
    }

    @Override
    public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
      sent.incrementAndGet();
      return super.eval(script, keys, args);
    }
  }

  private static Command.Acquire claim(long counter) {
    return new Command.Acquire(
        "a",
        new ClaimId("n", counter),
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

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void aServerThatOwesAnswersIsNotAskedUntilItGivesOne() throws Exception {
    Duration patient = Duration.ofMinutes(1);
    try (RedisServer server = RedisServer.start();
        Counting port = new Counting(LettucePorts.open(RedisUrl.parse(server.url()), patient))) {
      RemoteServer voter =
          new RemoteServer(port, new RedisKeys("pawl"), Duration.ofMillis(100), Duration.ZERO);
      server.pause();
      CompletableFuture<AcquireReply> first = voter.acquire(claim(1), 1).toCompletableFuture();
      assertThatThrownBy(() -> of(first)).hasCauseInstanceOf(TimeoutException.class);
      int before = port.sent.get();

      for (int i = 2; i < 1_000; i++) {
        CompletionStage<AcquireReply> refused = voter.acquire(claim(i), 1);
        assertThatThrownBy(() -> of(refused)).hasCauseInstanceOf(StoreUnavailableException.class);
      }
      assertThat(port.sent.get()).isEqualTo(before);

      // What may have a vote there is taken back, behind the command that asked for it.
      CompletionStage<CancelReply> takenBack = voter.takeBack(claim(1));
      server.resume();
      ListeningCluster.until(() -> isGranted(voter, claim(2_000)));
      var unused = takenBack.handle((done, error) -> 0);
    }
  }

  private static boolean isGranted(RemoteServer voter, Command.Acquire claim) {
    try {
      return of(voter.acquire(claim, 1)) instanceof AcquireReply.Granted;
    } catch (Exception e) {
      return false;
    }
  }

  @Test
  void messagesThatAServerNeverCompletesAreForgotten() {
    AtomicLong micros = new AtomicLong();
    List<Signal> told = new ArrayList<>();
    List<RedisPort> ports = new ArrayList<>(List.of(new Deaf(), new Deaf(), new Deaf()));
    RedlockSignals signals = new RedlockSignals(ports, new RedisKeys("pawl"), micros::get);
    RedlockSignals.Counter counter = signals.new Counter(told::add);
    for (int i = 0; i < 5_000; i++) {
      micros.addAndGet(10_000);
      counter.onMessage("C\nn/" + i + "\na");
      counter.onMessage("C\nn/" + i + "\na");
    }
    assertThat(told).hasSize(5_000);
    assertThat(counter.size()).isLessThan(50);
  }

  @Test
  void copiesOfOneMessageAreToldOnceWhenAQuorumHasCome() {
    AtomicLong micros = new AtomicLong();
    List<Signal> told = new ArrayList<>();
    List<RedisPort> ports = new ArrayList<>(List.of(new Deaf(), new Deaf(), new Deaf()));
    RedlockSignals.Counter counter =
        new RedlockSignals(ports, new RedisKeys("pawl"), micros::get).new Counter(told::add);
    for (int round = 1; round <= 10; round++) {
      for (int copy = 1; copy <= 3; copy++) {
        counter.onMessage("C\nn/1\na");
        assertThat(told).hasSize(copy == 1 ? round - 1 : round);
        micros.addAndGet(50_000);
      }
    }
    assertThat(counter.size()).isZero();
  }

  private static final class Deaf extends ForwardingPort {
    Deaf() {
      super(new LazyPort("redis://nowhere", () -> new Deaf()));
    }
  }
}
