package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a node of Redlock is told of a claim that it holds, when servers stall and forget. */
class RedlockRenewalTest {

  private static final long LEASE = 10_000_000;

  private long now = 1_800_000_000_000_000L;
  private final List<SimulatedServer> servers =
      Stream.generate(() -> new SimulatedServer(() -> now, new Random(1))).limit(3).toList();
  private final List<Stalling> links = servers.stream().map(Stalling::new).toList();
  private final Redlock redlock = new Redlock("simulated", links, () -> now, 1);

  private long claims;

  RedlockRenewalTest() throws Exception {
    of(redlock.readClocks());
  }

  @Test
  void aServerThatVotedLateHasTheTokenThatCounts() throws Exception {
    links.get(0).stall();
    Grant granted = acquire("a");
    now += 300_000;
    links.get(0).goOn();

    assertThat(renew(granted)).isInstanceOf(RenewReply.Held.class);
    assertThat(((RenewReply.Held) renew(granted)).grant().token()).isEqualTo(granted.token());
    // And nothing else has it: its answer is the same when it is needed for the quorum.
    links.get(1).stall();
    assertThat(((RenewReply.Held) renew(granted)).grant().token()).isEqualTo(granted.token());
  }

  @Test
  void anotherTokenOfOneServerIsOutvoted() throws Exception {
    Grant granted = acquire("a");
    of(servers.get(0).setToken(command("a", granted.claim()), granted.token() + 1_000));

    assertThat(((RenewReply.Held) renew(granted)).grant().token()).isEqualTo(granted.token());
  }

  @Test
  void aSilentServerIsNoLossWhereAnotherHasForgotten() throws Exception {
    Grant granted = acquire("a");
    servers.get(1).forgetEverything();
    links.get(2).stall();

    assertThatThrownBy(() -> renew(granted))
        .hasCauseInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("2 of 3 servers answered, and not alike");

    links.get(2).goOn();
    assertThat(renew(granted)).isInstanceOf(RenewReply.Held.class);
  }

  @Test
  void whereNobodyKnowsTheOthersOfTheCallAreRenewedAllTheSame() throws Exception {
    Grant first = acquire("a");
    servers.get(1).forgetEverything();
    Grant second = acquire("b");
    links.get(2).stall();
    now += LEASE / 2;

    List<RenewReply> replies =
        of(redlock.renew(List.of(renewal("a", first), renewal("b", second))));
    Grant unknown = ((RenewReply.Held) replies.get(0)).grant();
    assertThat(unknown.token()).isEqualTo(first.token());
    assertThat(unknown.untilMicros()).as("no more time than it had").isEqualTo(unknown.nowMicros());
    Grant renewed = ((RenewReply.Held) replies.get(1)).grant();
    assertThat(renewed.untilMicros() - renewed.nowMicros()).isGreaterThan(LEASE - 10_000);
  }

  @Test
  void aMajorityThatHasForgottenIsALoss() throws Exception {
    Grant granted = acquire("a");
    servers.subList(0, 2).forEach(SimulatedServer::forgetEverything);

    assertThat(renew(granted)).isInstanceOf(RenewReply.Gone.class);
    assertThat(servers.get(2).hasHolders("a")).as("given up there as well").isFalse();
  }

  private Grant acquire(String name) throws Exception {
    Command.Acquire command = command(name, new ClaimId("n", ++claims));
    return ((AcquireReply.Granted) of(redlock.acquire(command))).grant();
  }

  private static Command.Acquire command(String name, ClaimId claim) {
    return new Command.Acquire(
        name,
        claim,
        Command.EVERYTHING,
        Command.EVERYTHING,
        LEASE,
        1,
        OptionalLong.empty(),
        false,
        false,
        "label",
        "actor");
  }

  private RenewReply renew(Grant grant) throws Exception {
    return of(redlock.renew(List.of(renewal("a", grant)))).get(0);
  }

  private static Command.Renew renewal(String name, Grant grant) {
    return new Command.Renew(name, grant.claim(), Command.EVERYTHING, LEASE, "actor");
  }

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  /** A server that, while it stalls, does what it was asked for when nobody waits any longer. */
  private static final class Stalling implements RedlockServer {
    private final SimulatedServer server;
    private final List<Runnable> late = new ArrayList<>();
    private boolean stalls;

    Stalling(SimulatedServer server) {
      this.server = server;
    }

    void stall() {
      stalls = true;
    }

    void goOn() {
      stalls = false;
      late.forEach(Runnable::run);
      late.clear();
    }

    private <R> CompletionStage<R> ask(Supplier<CompletionStage<R>> command) {
      if (!stalls) {
        return command.get();
      }
      late.add(
          () -> {
            var unused = command.get();
          });
      return CompletableFuture.failedFuture(new TimeoutException());
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command, long floor) {
      return ask(() -> server.acquire(command, floor));
    }

    @Override
    public CompletionStage<AcquireReply> yieldGrant(Command.Yield command, long floor) {
      return ask(() -> server.yieldGrant(command, floor));
    }

    @Override
    public CompletionStage<Boolean> setToken(Command.Acquire command, long token) {
      return ask(() -> server.setToken(command, token));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return ask(() -> server.renew(commands));
    }

    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return ask(() -> server.release(command));
    }

    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      return ask(() -> server.cancel(command));
    }

    @Override
    public CompletionStage<CancelReply> takeBack(Command.Acquire refused) {
      return ask(() -> server.takeBack(refused));
    }

    @Override
    public CompletionStage<EvictReply> evict(Command.Evict command) {
      return ask(() -> server.evict(command));
    }

    @Override
    public CompletionStage<Long> nowMicros() {
      return ask(server::nowMicros);
    }
  }
}
