package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.degrade.protocol.Stores;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A backup that answers each write, and takes its time. */
class SlowBackupTest {

  private static final Duration TICK = Duration.ofMillis(100);

  private record Event(long at, long order, Runnable task) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private final LockStore primary = new MemoryStore();
  private final LockStore backup = new MemoryStore();
  private Duration slowness = Duration.ZERO;
  private long now;
  private long order;

  private void later(long nanos, Runnable task) {
    events.add(new Event(now + nanos, order++, task));
  }

  private void pass(Duration time) {
    long end = now + time.toNanos();
    while (!events.isEmpty() && events.peek().at() <= end) {
      Event event = events.poll();
      now = event.at();
      event.task().run();
    }
    now = end;
  }

  /** The backup, with a write under way for half of the time before it is made and half after. */
  private LockStore slow() {
    return new ForwardingStore(backup) {
      @Override
      public Registers registers() {
        Registers next = super.registers();
        return new Registers() {
          @Override
          public CompletionStage<Register> read(String key) {
            return next.read(key);
          }

          @Override
          public CompletionStage<RegisterReply> compareAndSet(
              Register seen, Optional<String> value) {
            CompletableFuture<RegisterReply> answer = new CompletableFuture<>();
            long half = slowness.toNanos() / 2;
            later(
                half,
                () -> {
                  RegisterReply reply =
                      next.compareAndSet(seen, value).toCompletableFuture().join();
                  later(half, () -> answer.complete(reply));
                });
            return answer;
          }

          @Override
          public CompletionStage<List<Register>> list(String prefix, int limit) {
            return next.list(prefix, limit);
          }
        };
      }
    };
  }

  private PairState node(String id, PairOptions options) {
    Surroundings world = new Surroundings(() -> now, this::later, Runnable::run, () -> {});
    PairStore pair =
        new PairStore(
            world,
            id,
            options,
            new Stores("p", "b", options.modeLease().toMillis()),
            Opening.of(world, primary, slow(), options),
            false);
    pair.begin();
    return pair.state();
  }

  private boolean isLeased(PairState node) {
    return node.locked(after -> node.isLeased(now));
  }

  /** A write may take longer than a node waits before it asks again. */
  @ParameterizedTest
  @CsvSource({"PT60S, PT2.5S, 2", "PT60S, PT9S, 2", "PT60S, PT2.5S, 8", "PT10S, PT2.5S, 1"})
  @Tag("safety")
  void aNodeWhoseWritesAreAnsweredLateKeepsItsModeLease(Duration lease, Duration time, int count) {
    PairOptions options = PairOptions.DEFAULT.withModeLease(lease);
    List<PairState> nodes =
        IntStream.range(0, count).mapToObj(i -> node("node" + i, options)).toList();
    pass(lease);
    slowness = time;
    for (Duration past = Duration.ZERO;
        past.compareTo(lease.multipliedBy(4)) < 0;
        past = past.plus(TICK)) {
      pass(TICK);
      assertThat(nodes).as("leased after %s", past).allMatch(this::isLeased);
    }
  }
}
