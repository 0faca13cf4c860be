package dev.pawl.hazelcast.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.map.IMap;
import dev.pawl.hazelcast.Clusters;
import dev.pawl.hazelcast.Embedded;
import dev.pawl.hazelcast.HazelcastStore;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same random commands to two members and to the machine: every reply, state and signal is
 * equal; and so is every state that the backups have, when one of the members is gone.
 */
class DifferentialTest {

  private static final int SEQUENCES = Integer.getInteger("pawl.hazelcast.sequences", 15);
  private static final int COMMANDS = 120;
  private static final List<String> NODES = List.of("n1", "n2", "n3");

  private final AtomicLong nowMicros = new AtomicLong(1_700_000_000_000_000L);
  private Embedded cluster;

  @BeforeEach
  void start() {
    cluster = new Embedded(2);
    // Time is what the test says, stands still in between, and is the same for both.
    MemberClock clock = new MemberClock(nowMicros::get, () -> nowMicros.get() * 1_000);
    MemberClock.set(cluster.member(0), clock);
    MemberClock.set(cluster.member(1), clock);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"exclusive", "shared", "permits"})
  void theMembersDoWhatTheMachineDoes(String kind) throws Exception {
    long base = Long.getLong("pawl.seed", 1);
    Map<String, LockState> last = new HashMap<>();
    try (HazelcastStore store = HazelcastStore.of(cluster.member(1), Clusters.PATIENT)) {
      for (int i = 0; i < SEQUENCES; i++) {
        Sequence sequence = new Sequence(store, kind, base + i);
        sequence.run();
        last = sequence.states;
      }
      cluster.member(0).getLifecycleService().terminate();
      IMap<String, byte[]> locks = cluster.member(1).getMap("pawl.locks");
      last.forEach(
          (name, state) ->
              assertThat(stored(locks, name))
                  .as("what is left of " + name)
                  .isIn(state, afterwards(state, nowMicros.get())));
    }
  }

  /** A state that can go may have been swept away. */
  private static LockState afterwards(LockState state, long now) {
    return state.isForgettable(now) ? LockState.EMPTY : state;
  }

  private static LockState stored(IMap<String, byte[]> locks, String name) {
    byte[] value = locks.get(name);
    return value == null ? LockState.EMPTY : Stored.decode(value).state();
  }

  /** One sequence of commands, by a seed that is told if it fails. */
  private final class Sequence {
    private final LockStore store;
    private final String kind;
    private final long seed;
    private final Random random;
    private final List<String> names;
    private final Map<String, LockState> states = new HashMap<>();
    private final Map<String, List<Signal>> expected = new HashMap<>();
    private final Map<String, List<Signal>> heard = new HashMap<>();
    private final List<Command> sent = new ArrayList<>();

    Sequence(LockStore store, String kind, long seed) {
      this.store = store;
      this.kind = kind;
      this.seed = seed;
      this.random = new Random(seed);
      this.names = List.of("plain " + kind + seed, "wéird 名\u00a0" + kind + seed);
    }

    void run() throws Exception {
      List<LockStore.Subscription> subscriptions = new ArrayList<>();
      for (String node : NODES) {
        List<Signal> signals = new CopyOnWriteArrayList<>();
        heard.put(node, signals);
        expected.put(node, new ArrayList<>());
        subscriptions.add(store.subscribe(node, signals::add));
      }
      try {
        for (int i = 0; i < COMMANDS; i++) {
          nowMicros.addAndGet(advance());
          Command command = command(names.get(random.nextInt(names.size())));
          sent.add(command);
          check(command.name(), command);
        }
        checkSignals();
      } finally {
        subscriptions.forEach(LockStore.Subscription::close);
      }
    }

    private long advance() {
      return switch (random.nextInt(12)) {
        case 0 -> random.nextInt(3_000_000);
        case 1 -> 2_000_000;
        case 2 -> random.nextInt(100) == 0 ? 61_000_000 : 5_000_000;
        case 3 -> 0;
        default -> random.nextInt(200);
      };
    }

    private void check(String name, Command command) throws Exception {
      long now = nowMicros.get();
      LockState before = afterwards(states.getOrDefault(name, LockState.EMPTY), now);
      Step<?> step;
      Object reply;
      if (command instanceof Command.Renew renew) {
        List<Command.Renew> together = new ArrayList<>(List.of(renew));
        while (random.nextInt(3) > 0) {
          together.add(renewal(name));
        }
        step = renewed(before, together, now);
        reply = of(store.renew(together));
      } else {
        step = CommandCodec.apply(before, command, now);
        reply = of(send(command));
      }
      assertThat(reply).as(this::toString).isEqualTo(step.reply());
      LockState after = afterwards(step.state(), now);
      IMap<String, byte[]> locks = cluster.member(1).getMap("pawl.locks");
      assertThat(stored(locks, name)).as(this::toString).isEqualTo(after);
      states.put(name, after);
      step.signals()
          .forEach(signal -> expected.get(signal.recipient().orElseThrow().node()).add(signal));
    }

    private CompletionStage<?> send(Command command) {
      if (command instanceof Command.Acquire acquire) {
        return store.acquire(acquire);
      } else if (command instanceof Command.Release release) {
        return store.release(release);
      } else if (command instanceof Command.Yield yield) {
        return store.yieldGrant(yield);
      } else if (command instanceof Command.Cancel cancel) {
        return store.cancel(cancel);
      } else if (command instanceof Command.Evict evict) {
        return store.evict(evict);
      }
      return store.reset((Command.Reset) command);
    }

    private static Step<List<RenewReply>> renewed(
        LockState before, List<Command.Renew> commands, long now) {
      LockState state = before;
      List<RenewReply> replies = new ArrayList<>();
      List<Signal> signals = new ArrayList<>();
      for (Command.Renew each : commands) {
        Step<RenewReply> step = LockMachine.renew(state, each, now);
        state = step.state();
        replies.add(step.reply());
        signals.addAll(step.signals());
      }
      return new Step<>(state, replies, signals);
    }

    /** Two names may be on two members, whose messages overtake each other. */
    private void checkSignals() {
      for (String node : NODES) {
        List<Signal> told = expected.get(node);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (heard.get(node).size() < told.size() && System.nanoTime() < end) {
          LockSupport.parkNanos(1_000_000);
        }
        for (String name : names) {
          assertThat(of(name, heard.get(node))).as(this::toString).isEqualTo(of(name, told));
        }
      }
    }

    private static List<Signal> of(String name, List<Signal> signals) {
      return signals.stream().filter(signal -> signal.toString().contains(name)).toList();
    }

    private static <T> T of(CompletionStage<T> stage) throws Exception {
      return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private Command command(String name) {
      return switch (random.nextInt(11)) {
        case 0, 1, 2, 3 -> acquire(name);
        case 4, 5 -> renewal(name);
        case 6 -> release(name);
        case 7 -> yieldGrant(name);
        case 8 -> new Command.Cancel(name, claim(), random.nextBoolean());
        case 9 -> reset(name);
        default -> new Command.Evict(name, token(name));
      };
    }

    private Command.Acquire acquire(String name) {
      int permits = permits();
      return new Command.Acquire(
          name,
          claim(),
          permits,
          kind.equals("permits") ? Math.max(permits, 1 + random.nextInt(4)) : Command.EVERYTHING,
          500_000 + random.nextInt(9_000_000),
          1 + random.nextInt(100),
          mark(),
          random.nextInt(4) > 0,
          random.nextInt(3) > 0,
          "läbel " + random.nextInt(3),
          "thread " + random.nextInt(3));
    }

    private Command.Renew renewal(String name) {
      return new Command.Renew(
          name, claim(), permits(), 1_000_000 + random.nextInt(9_000_000), "r");
    }

    private Command.Release release(String name) {
      long keep = Command.MIN_KEEP_MICROS * (1 + random.nextInt(100));
      return new Command.Release(name, claim(), token(name), mark(), keep, random.nextBoolean());
    }

    private Command yieldGrant(String name) {
      Command.Release release = release(name);
      Command.Acquire next = acquire(name);
      return release.claim().equals(next.claim()) ? next : new Command.Yield(release, next);
    }

    private Command.Reset reset(String name) {
      LockState state = states.getOrDefault(name, LockState.EMPTY);
      long seen = random.nextBoolean() ? state.mark().orElse(5) : random.nextInt(20);
      return new Command.Reset(
          name,
          seen,
          seen == 0 || random.nextBoolean()
              ? OptionalLong.empty()
              : OptionalLong.of(random.nextLong(seen)));
    }

    private int permits() {
      return switch (kind) {
        case "exclusive" -> Command.EVERYTHING;
        case "shared" -> random.nextBoolean() ? 1 : Command.EVERYTHING;
        default -> 1 + random.nextInt(4);
      };
    }

    private long token(String name) {
      return states.getOrDefault(name, LockState.EMPTY).lastToken() - random.nextInt(120) + 3;
    }

    private OptionalLong mark() {
      return random.nextInt(4) == 0 ? OptionalLong.of(random.nextInt(6)) : OptionalLong.empty();
    }

    private ClaimId claim() {
      return new ClaimId(NODES.get(random.nextInt(NODES.size())), 1 + random.nextInt(3));
    }

    @Override
    public String toString() {
      return "seed " + seed + ", " + kind + ", at " + nowMicros.get() + ": " + sent;
    }
  }
}
