package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.redis.store.StoredState;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same random commands to Redis and to the machine: every reply, state and signal is equal. */
class DifferentialTest {

  private static final int SEQUENCES = 40;
  private static final int SEQUENCES_INSTALLED = 20;
  private static final int COMMANDS = 120;
  private static final int CROWDS = 5;
  private static final int COMMANDS_OF_A_CROWD = 1_000;
  private static final int CLAIMS_OF_READERS = 8;
  private static final int QUEUE_OF_READERS = 24;
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final List<String> NAMES = List.of("plain", "we{i}rd }{ näme");

  @ParameterizedTest
  @ValueSource(strings = {"exclusive", "shared", "permits", "crowd", "readers"})
  void redisDoesWhatTheMachineDoes(String kind) throws Exception {
    compare(RedisBinary.bundled(), kind, SEQUENCES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"exclusive", "shared", "permits", "crowd", "readers"})
  void theInstalledRedisDoesWhatTheMachineDoes(String kind) throws Exception {
    Optional<String> binary = RedisBinary.installed();
    assumeTrue(binary.isPresent(), "there is no redis-server on the PATH");
    compare(binary.get(), kind, SEQUENCES_INSTALLED);
  }

  @Test
  void theWaitersOfADeadNodeGoTogether() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      new Sequence(port, "exclusive", 1).runWithADeadNode();
    }
  }

  @Test
  void whoHasComeNearAndDiedIsGoneInTime() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      new Sequence(port, "exclusive", 1).runWithOneThatHasComeNear();
    }
  }

  private static void compare(String binary, String kind, int sequences) throws Exception {
    long base = Long.getLong("pawl.seed", 1);
    try (RedisServer server = RedisServer.startWith(binary);
        RedisPort port = LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofMinutes(1))) {
      long summons = 0;
      for (int i = 0; i < (kind.equals("crowd") ? CROWDS : sequences); i++) {
        server.call("FLUSHALL");
        Sequence sequence = new Sequence(port, kind, base + i);
        sequence.run();
        summons += sequence.summons();
      }
      assertThat(summons > 0)
          .as("%s were bid show life", summons)
          .isEqualTo(kind.equals("readers"));
    }
  }

  /** One sequence of commands, by a seed that is told if it fails. */
  private static final class Sequence implements AutoCloseable {
    private final String kind;
    private final long seed;
    private final Random random;
    private final SettableClock port;
    private final List<LockStore.Subscription> subscriptions = new ArrayList<>();
    private final RedisStore store;
    private final Map<String, LockState> states = new HashMap<>();
    private final Map<String, List<Signal>> expected = new HashMap<>();
    private final Map<String, List<Signal>> heard = new HashMap<>();
    private final List<Command> sent = new ArrayList<>();

    Sequence(RedisPort server, String kind, long seed) {
      this.port = new SettableClock(server);
      this.store = new RedisStore(port, RedisOptions.DEFAULT, SettableClock.SCRIPTS);
      this.kind = kind;
      this.seed = seed;
      this.random = new Random(seed);
      for (String node : NODES) {
        List<Signal> signals = new CopyOnWriteArrayList<>();
        heard.put(node, signals);
        expected.put(node, new ArrayList<>());
        subscriptions.add(store.subscribe(node, signals::add));
      }
    }

    void run() throws Exception {
      try (this) {
        for (int i = 0; i < (isCrowd() ? COMMANDS_OF_A_CROWD : COMMANDS); i++) {
          long advance = advance();
          String name = NAMES.get(isCrowd() || isReaders() ? 0 : random.nextInt(NAMES.size()));
          Command command = isReaders() && i < QUEUE_OF_READERS ? acquire(name) : command(name);
          // No server runs two scripts within a microsecond, and a release counts on that.
          port.nowMicros += command instanceof Command.Release ? Math.max(1, advance) : advance;
          sent.add(command);
          check(name, command);
        }
        checkSignals();
      }
    }

    /** One of its claims is granted and not confirmed, and others of it are far back. */
    void runWithADeadNode() throws Exception {
      String name = NAMES.get(0);
      try (this) {
        queue(name, "n1", 1);
        queue(name, "n2", 1);
        for (int i = 1; i <= LockMachine.FAR_AHEAD; i++) {
          queue(name, "n3", i);
        }
        queue(name, "n2", 2);
        queue(name, "n3", 20);
        queue(name, "n2", 3);
        ClaimId first = new ClaimId("n1", 1);
        check(name, new Command.Release(name, first, 0, OptionalLong.empty(), false));
        port.nowMicros += LockMachine.CLAIM_WINDOW_MICROS;
        queue(name, "n1", 2);
        assertThat(states.get(name).queue())
            .extracting(waiter -> waiter.claim().node())
            .doesNotContain("n2");
        checkSignals();
      }
    }

    /** All who were near leave; of those who were far back one shows life, and dies. */
    void runWithOneThatHasComeNear() throws Exception {
      String name = NAMES.get(0);
      try (this) {
        queue(name, "n1", 1);
        for (int i = 1; i <= LockMachine.FAR_AHEAD; i++) {
          queue(name, "n2", i);
        }
        for (int i = 1; i <= 3; i++) {
          queue(name, "n3", i);
        }
        for (int i = 1; i <= LockMachine.FAR_AHEAD; i++) {
          check(name, new Command.Cancel(name, new ClaimId("n2", i), false));
        }
        port.nowMicros += LockMachine.WAITER_ALIVE_MICROS;
        showLife(name, "n1", 1);
        showLife(name, "n3", 2);
        port.nowMicros += LockMachine.WAITER_ALIVE_MICROS;
        showLife(name, "n1", 1);
        assertThat(states.get(name).queue())
            .extracting(waiter -> waiter.claim().counter())
            .containsExactly(1L, 3L);
      }
    }

    private void showLife(String name, String node, long counter) throws Exception {
      ClaimId claim = new ClaimId(node, counter);
      Command.Renew renewal =
          new Command.Renew(name, claim, Command.EVERYTHING, 10_000_000, "actor");
      Step<RenewReply> step =
          LockMachine.renew(remember(name, states.get(name)), renewal, port.nowMicros);
      assertThat(of(store.renew(List.of(renewal)))).as(toString()).containsExactly(step.reply());
      LockState after = remember(name, step.state());
      assertThat(after).as(toString()).isEqualTo(step.state());
      states.put(name, after);
    }

    private void queue(String name, String node, long counter) throws Exception {
      port.nowMicros += 10;
      check(
          name,
          new Command.Acquire(
              name,
              new ClaimId(node, counter),
              Command.EVERYTHING,
              Command.EVERYTHING,
              10_000_000,
              1,
              OptionalLong.empty(),
              true,
              true,
              "label",
              "actor"));
    }

    /** Many claims, and little time for them to pass. */
    private boolean isCrowd() {
      return kind.equals("crowd");
    }

    /** Readers and writers, of whom some are far back in the queue. */
    private boolean isReaders() {
      return kind.equals("readers");
    }

    long summons() {
      return expected.values().stream()
          .flatMap(List::stream)
          .filter(Signal.Summoned.class::isInstance)
          .count();
    }

    private long advance() {
      if ((isCrowd() || isReaders()) && random.nextInt(16) > 0) {
        return random.nextInt(2_000);
      }
      return switch (random.nextInt(12)) {
        case 0 -> random.nextInt(3_000_000);
        case 1 -> 2_000_000;
        case 2 -> random.nextInt(100) == 0 ? 61_000_000 : 5_000_000;
        case 3 -> 0;
        default -> random.nextInt(200);
      };
    }

    private void check(String name, Command command) throws Exception {
      LockState before = remember(name, states.getOrDefault(name, LockState.EMPTY));
      Step<?> step;
      Object reply;
      long now = port.nowMicros;
      if (command instanceof Command.Acquire c) {
        step = LockMachine.acquire(before, c, now);
        reply = of(store.acquire(c));
      } else if (command instanceof Command.Renew c) {
        Renewed renewed = renew(before, c, now);
        step = renewed.step;
        reply = of(store.renew(renewed.commands));
      } else if (command instanceof Command.Release c) {
        step = LockMachine.release(before, c, now);
        reply = of(store.release(c));
      } else if (command instanceof Command.Yield c) {
        step = LockMachine.yieldGrant(before, c, now);
        reply = of(store.yieldGrant(c));
      } else if (command instanceof Command.Cancel c) {
        step = LockMachine.cancel(before, c, now);
        reply = of(store.cancel(c));
      } else if (command instanceof Command.Reset c) {
        step = LockMachine.reset(before, c, now);
        reply = of(store.reset(c));
      } else {
        step = LockMachine.evict(before, (Command.Evict) command, now);
        reply = of(store.evict((Command.Evict) command));
      }
      assertThat(reply).as(this::toString).isEqualTo(step.reply());
      LockState after = remember(name, step.state());
      if (!after.equals(LockState.EMPTY)) {
        assertThat(after).as(this::toString).isEqualTo(step.state());
      }
      states.put(name, after);
      step.signals()
          .forEach(signal -> expected.get(signal.recipient().orElseThrow().node()).add(signal));
    }

    /** Renews this claim and others of the name in one call, and one after the other. */
    private Renewed renew(LockState before, Command.Renew first, long now) {
      List<Command.Renew> commands = new ArrayList<>(List.of(first));
      while (random.nextInt(3) > 0) {
        commands.add(renewal(first.name()));
      }
      LockState state = before;
      List<RenewReply> replies = new ArrayList<>();
      List<Signal> signals = new ArrayList<>();
      for (Command.Renew each : commands) {
        Step<RenewReply> step = LockMachine.renew(state, each, now);
        state = step.state();
        replies.add(step.reply());
        signals.addAll(step.signals());
      }
      return new Renewed(commands, new Step<>(state, replies, signals));
    }

    private record Renewed(List<Command.Renew> commands, Step<List<RenewReply>> step) {}

    private Command.Renew renewal(String name) {
      return new Command.Renew(
          name, claim(), permits(), 1_000_000 + random.nextInt(9_000_000), "r");
    }

    /** Returns what the server knows of a name: what it should, or nothing where that may be. */
    private LockState remember(String name, LockState expected) throws Exception {
      String key = new RedisKeys("pawl").key(name);
      Object found = of(port.eval(SettableClock.SCRIPTS.find(), List.of(key), List.of()));
      LockState state = StoredState.state(Answers.list(found).get(1));
      if (state == null) {
        assertThat(expected.equals(LockState.EMPTY) || expected.isForgettable(port.nowMicros))
            .as("%s%nforgot %s", this, expected)
            .isTrue();
        return LockState.EMPTY;
      }
      return state;
    }

    private void checkSignals() {
      for (String node : NODES) {
        List<Signal> told = expected.get(node);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (heard.get(node).size() < told.size() && System.nanoTime() < end) {
          LockSupport.parkNanos(1_000_000);
        }
        assertThat(heard.get(node)).as(this::toString).isEqualTo(told);
      }
    }

    private Command command(String name) {
      return switch (random.nextInt(11)) {
        case 0, 1, 2, 3 -> acquire(name);
        case 4, 5 -> renewal(name);
        case 6 -> release(name);
        case 7 -> yieldGrant(name);
        case 8 -> new Command.Cancel(name, claim(), isCrowd() || random.nextBoolean());
        case 9 -> reset(name);
        default -> new Command.Evict(name, token(name));
      };
    }

    private Command.Acquire acquire(String name) {
      int permits = permits();
      int capacity =
          kind.equals("permits") ? Math.max(permits, 1 + random.nextInt(4)) : Command.EVERYTHING;
      return new Command.Acquire(
          name,
          claim(),
          permits,
          capacity,
          500_000 + random.nextInt(9_000_000),
          1 + random.nextInt(100),
          mark(),
          random.nextInt(4) > 0,
          random.nextInt(3) > 0,
          "läbel " + random.nextInt(3),
          "thread " + random.nextInt(3));
    }

    private Command.Release release(String name) {
      List<LockState.Holder> holders = states.getOrDefault(name, LockState.EMPTY).holders();
      ClaimId claim =
          (isCrowd() || isReaders()) && !holders.isEmpty() ? holders.get(0).claim() : claim();
      return new Command.Release(name, claim, token(name), mark(), keep(), random.nextBoolean());
    }

    private long keep() {
      return Command.MIN_KEEP_MICROS * (1 + random.nextInt(100));
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

    private Command yieldGrant(String name) {
      Command.Release release = release(name);
      Command.Acquire next = acquire(name);
      return release.claim().equals(next.claim()) ? next : new Command.Yield(release, next);
    }

    private int permits() {
      return switch (kind) {
        case "exclusive", "crowd" -> Command.EVERYTHING;
        case "shared" -> random.nextBoolean() ? 1 : Command.EVERYTHING;
        case "readers" -> random.nextInt(5) > 0 ? 1 : Command.EVERYTHING;
        default -> 1 + random.nextInt(4);
      };
    }

    private long token(String name) {
      return states.getOrDefault(name, LockState.EMPTY).lastToken() - random.nextInt(120) + 3;
    }

    private OptionalLong mark() {
      return !isCrowd() && random.nextInt(4) == 0
          ? OptionalLong.of(random.nextInt(6))
          : OptionalLong.empty();
    }

    private ClaimId claim() {
      int claims = isCrowd() ? 1_000 : isReaders() ? CLAIMS_OF_READERS : 3;
      return new ClaimId(NODES.get(random.nextInt(NODES.size())), 1 + random.nextInt(claims));
    }

    private static <T> T of(CompletionStage<T> stage) throws Exception {
      return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      subscriptions.forEach(LockStore.Subscription::close);
    }

    @Override
    public String toString() {
      return "seed " + seed + ", " + kind + ", at " + port.nowMicros + ": " + sent;
    }
  }
}
