package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.testservers.ZooKeeperServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same random commands to two stores and to the machine: whoever asks gets the same answer
 * (granted, queued behind as many, busy, done, gone), and after each command each claim stands
 * where the machine has it. Tokens are ZooKeeper's own, and only have to rise.
 *
 * <p>What the idiom leaves out: time, which nobody can set here (a sequence that took so long that
 * a waiter may have been taken for dead is run again); and the order among unfair claims that wait.
 */
class DifferentialTest {

  private static final int SEQUENCES = Integer.getInteger("pawl.zookeeper.sequences", 40);
  private static final int COMMANDS = 25;
  private static final int NODES = 4;
  private static final long NOW = 1_700_000_000_000_000L;

  /** A waiter is taken for dead after two seconds. */
  private static final long IN_TIME_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private static ZooKeeperServer server;

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"exclusive", "shared", "permits"})
  void theLineDoesWhatTheMachineDoes(String kind) throws Exception {
    long base = Long.getLong("pawl.seed", System.nanoTime() % 1_000_000);
    try (ZooKeeperStore first = ZooKeeperFaultTest.open(server.address(), 240);
        ZooKeeperStore second = ZooKeeperFaultTest.open(server.address(), 240)) {
      for (int i = 0; i < SEQUENCES; i++) {
        for (int attempt = 1; ; attempt++) {
          Sequence sequence = new Sequence(List.of(first, second), kind, base + i, attempt);
          long start = System.nanoTime();
          try {
            sequence.run();
            break;
          } catch (AssertionError e) {
            if (System.nanoTime() - start < IN_TIME_NANOS || attempt == 20) {
              throw e;
            }
          }
        }
      }
    }
  }

  /** One sequence of commands on one name, by a seed that is told if it fails. */
  private static final class Sequence {
    private final List<ZooKeeperStore> stores;
    private final String kind;
    private final long seed;
    private final SplittableRandom random;
    private final String id;
    private final String name;
    private final List<Command> sent = new ArrayList<>();
    private final List<ClaimId> claims = new ArrayList<>();
    private final Map<ClaimId, Long> tokens = new HashMap<>();
    private LockState state = LockState.EMPTY;
    private long highest;

    Sequence(List<ZooKeeperStore> stores, String kind, long seed, int attempt) {
      this.stores = stores;
      this.kind = kind;
      this.seed = seed;
      this.random = new SplittableRandom(seed);
      this.id = kind + seed + "try" + attempt;
      this.name = "différential/" + id;
    }

    /** A node is one of a process, and its claims are known to the store of that process. */
    private ZooKeeperStore store(ClaimId claim) {
      return stores.get(Math.floorMod(claim.node().hashCode(), stores.size()));
    }

    void run() throws Exception {
      for (int i = 0; i < COMMANDS; i++) {
        Command command = command();
        sent.add(command);
        check(command);
        for (ClaimId claim : claims) {
          checkStanding(claim);
        }
      }
      for (ClaimId claim : claims) {
        var unused = of(store(claim).cancel(new Command.Cancel(name, claim, false)));
      }
    }

    private <T> T of(CompletionStage<T> stage) throws Exception {
      try {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        throw new IllegalStateException("no answer: " + this, e);
      }
    }

    private void check(Command command) throws Exception {
      if (command instanceof Command.Acquire acquire) {
        Step<AcquireReply> step = LockMachine.acquire(state, acquire, NOW);
        state = step.state();
        same(acquire.claim(), of(store(acquire.claim()).acquire(acquire)), step.reply());
      } else if (command instanceof Command.Yield yield) {
        Step<AcquireReply> step = LockMachine.yieldGrant(state, yield, NOW);
        state = step.state();
        same(yield.next().claim(), of(store(yield.next().claim()).yieldGrant(yield)), step.reply());
      } else if (command instanceof Command.Release release) {
        Step<?> step = LockMachine.release(state, release, NOW);
        state = step.state();
        equal(of(store(release.claim()).release(release)), step.reply());
      } else if (command instanceof Command.Cancel cancel) {
        Step<?> step = LockMachine.cancel(state, cancel, NOW);
        state = step.state();
        equal(of(store(cancel.claim()).cancel(cancel)), step.reply());
      }
    }

    private void equal(Object reply, Object expected) {
      assertThat(reply).as(this::toString).isEqualTo(expected);
    }

    private void same(ClaimId claim, AcquireReply reply, AcquireReply expected) {
      assertThat(reply).as(this::toString).hasSameClassAs(expected);
      if (reply instanceof AcquireReply.Queued queued) {
        equal(queued.contention().ahead(), ((AcquireReply.Queued) expected).contention().ahead());
      } else if (reply instanceof AcquireReply.Busy busy) {
        equal(busy.contention().holders(), ((AcquireReply.Busy) expected).contention().holders());
      } else if (reply instanceof AcquireReply.Done done) {
        equal(done, expected);
      } else if (reply instanceof AcquireReply.Granted granted) {
        token(claim, granted.grant().token());
      }
    }

    /** A claim keeps its token. One that came to hold an exclusive name later has a higher one. */
    private void token(ClaimId claim, long token) {
      Long before = tokens.putIfAbsent(claim, token);
      if (before != null) {
        equal(token, before);
      } else if (kind.equals("exclusive")) {
        assertThat(token).as(this::toString).isGreaterThan(highest);
        highest = token;
      }
    }

    private void checkStanding(ClaimId claim) throws Exception {
      int permits = Command.EVERYTHING; // More than it has is ignored.
      Command.Renew renewal = new Command.Renew(name, claim, permits, 600_000_000, "actor");
      Step<RenewReply> step = LockMachine.renew(state, renewal, NOW);
      state = step.state();
      RenewReply reply = of(store(claim).renew(List.of(renewal))).get(0);
      assertThat(reply).as(() -> claim + " in " + this).hasSameClassAs(step.reply());
      if (reply instanceof RenewReply.Gone) {
        tokens.remove(claim); // It may ask again, and get another.
      } else if (reply instanceof RenewReply.Held held) {
        token(claim, held.grant().token());
      } else if (reply instanceof RenewReply.Waiting waiting) {
        equal(
            waiting.contention().ahead(), ((RenewReply.Waiting) step.reply()).contention().ahead());
      }
    }

    private Command command() {
      return switch (random.nextInt(9)) {
        case 0, 1, 2, 3 -> acquire(newClaim());
        case 4 -> acquire(claim());
        case 5 -> new Command.Cancel(name, claim(), false);
        case 6 -> yieldGrant();
        default -> release(claim());
      };
    }

    private Command.Acquire acquire(ClaimId claim) {
      // A claim that asks again asks for the same.
      SplittableRandom own = new SplittableRandom(seed * 31 + claim.counter());
      int capacity = kind.equals("permits") ? 3 : Command.EVERYTHING;
      int permits =
          switch (kind) {
            case "exclusive" -> Command.EVERYTHING;
            case "shared" -> own.nextBoolean() ? 1 : Command.EVERYTHING;
            default -> 1 + own.nextInt(3);
          };
      return new Command.Acquire(
          name,
          claim,
          permits,
          capacity,
          600_000_000,
          1 + own.nextInt(100),
          mark(own),
          own.nextInt(4) > 0,
          true,
          "label",
          "actor");
    }

    private Command.Release release(ClaimId claim) {
      return new Command.Release(name, claim, tokens.getOrDefault(claim, 1L), mark(random), false);
    }

    /** Of exclusive claims alone, as jobs have them. */
    private OptionalLong mark(SplittableRandom from) {
      return kind.equals("exclusive") && from.nextInt(3) == 0
          ? OptionalLong.of(from.nextInt(6))
          : OptionalLong.empty();
    }

    private Command yieldGrant() {
      ClaimId old = claim();
      ClaimId next = new ClaimId(old.node(), claims.size() + 1L);
      claims.add(next);
      return new Command.Yield(
          new Command.Release(name, old, tokens.getOrDefault(old, 1L), OptionalLong.empty(), false),
          acquire(next));
    }

    /** No other sequence has it: what one that was given up has left is not taken for it. */
    private ClaimId newClaim() {
      ClaimId claim = new ClaimId(id + "n" + random.nextInt(NODES), claims.size() + 1L);
      claims.add(claim);
      return claim;
    }

    private ClaimId claim() {
      return claims.isEmpty() ? newClaim() : claims.get(random.nextInt(claims.size()));
    }

    @Override
    public String toString() {
      return "-Dpawl.seed=" + seed + ", " + kind + ": " + sent;
    }
  }
}
