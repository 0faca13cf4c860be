package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.PrimaryModeConformanceTest.Shared;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A backup that is away for long is said, once. */
@Timeout(60)
class BackupWatchTest {

  private static final long SECOND = 1_000_000_000L;

  private final BackupWatch watch = new BackupWatch("PostgreSQL at db", 60 * SECOND);

  private Optional<String> lookUntil(long from, long to) {
    Optional<String> said = Optional.empty();
    for (long now = from; now <= to; now += SECOND / 5) {
      Optional<String> warning = watch.look(now);
      assertThat(said.isPresent() && warning.isPresent()).as("once").isFalse();
      said = said.or(() -> warning);
    }
    return said;
  }

  @Test
  void halfAModeLeaseWithoutAnAnswerIsOneWarningAndTheNextAnswerOneLine() {
    assertThat(watch.onAnswer(0)).isEmpty();
    assertThat(lookUntil(0, 29 * SECOND)).isEmpty();
    assertThat(watch.finding(29 * SECOND)).isEmpty();
    assertThat(lookUntil(29 * SECOND, 300 * SECOND).orElseThrow())
        .contains("PostgreSQL at db", "has not answered for 30 s", "mode lease of 60 s");
    assertThat(watch.finding(40 * SECOND).orElseThrow().what()).contains("40 s");
    assertThat(watch.onAnswer(301 * SECOND).orElseThrow()).contains("again, after 301 s");
    assertThat(watch.onAnswer(302 * SECOND)).isEmpty();
    assertThat(watch.finding(302 * SECOND)).isEmpty();
  }

  @Test
  void aNodeThatWasStoppedDoesNotBlameTheBackup() {
    watch.onAnswer(0);
    assertThat(watch.look(1_000 * SECOND)).isEmpty();
    assertThat(watch.onAnswer(1_000 * SECOND)).isEmpty();
  }

  @Test
  void norDoesOneThatHadLookedOftenBeforeAndHasOnlyJustAskedAgain() {
    assertThat(watch.onAnswer(0)).isEmpty();
    // In the calm it asks every third of a mode lease, and looks all the time.
    assertThat(lookUntil(0, 20 * SECOND)).isEmpty();
    long woken = 320 * SECOND;
    for (int look = 0; look < 10; look++) {
      assertThat(watch.look(woken + look * 1_000_000L)).isEmpty();
    }
    assertThat(watch.finding(woken + SECOND / 50)).isEmpty();
    assertThat(watch.onAnswer(woken + SECOND / 50)).isEmpty();
    // One that is away all the same is told a little later.
    assertThat(lookUntil(woken, woken + 31 * SECOND)).isPresent();
  }

  private static boolean isFound(PairStore pair) {
    return pair.examine().toCompletableFuture().join().stream()
        .anyMatch(finding -> finding.what().contains("the backup has not answered for"));
  }

  private static void awaitUntil(BooleanSupplier state) {
    while (!state.getAsBoolean()) {
      assertThat(Thread.interrupted()).as("time-out").isFalse();
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** One that answers, and writes nothing: a full disk, a replica, a right that was taken away. */
  private static final class ReadOnly extends ForwardingStore {
    volatile boolean readOnly;
    volatile boolean hangs;

    ReadOnly(LockStore store) {
      super(store);
    }

    @Override
    public Registers registers() {
      Registers next = super.registers();
      return new Registers() {
        @Override
        public CompletionStage<Register> read(String key) {
          return next.read(key);
        }

        @Override
        public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
          if (hangs) {
            return new CompletableFuture<>();
          }
          return readOnly
              ? CompletableFuture.failedFuture(new StoreUnavailableException("disk full", null))
              : next.compareAndSet(seen, value);
        }

        @Override
        public CompletionStage<List<Register>> list(String prefix, int limit) {
          return next.list(prefix, limit);
        }
      };
    }

    @Override
    public void close() {}
  }

  @Test
  void aBackupThatCanBeReadAndNotWrittenIsToldOfWithTheReason() {
    ReadOnly backup = new ReadOnly(new MemoryStore());
    PairOptions options = PairOptions.DEFAULT.withModeLease(Duration.ofSeconds(2));
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, options)) {
      backup.readOnly = true;
      awaitUntil(() -> isFound(pair));
      PairState state = pair.state();
      awaitUntil(() -> !state.locked(after -> state.isLeased(state.now())));
      assertThat(pair.find("x").toCompletableFuture())
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(StoreUnavailableException.class)
          .withMessageContaining("look at the backup: disk full");
      backup.readOnly = false;
      awaitUntil(() -> !isFound(pair));
    }
  }

  @Test
  void oneWhoseWritesHangIsToldOfThoughItCanBeRead() {
    ReadOnly backup = new ReadOnly(new MemoryStore());
    PairOptions options = PairOptions.DEFAULT.withModeLease(Duration.ofSeconds(2));
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, options)) {
      backup.hangs = true;
      awaitUntil(() -> isFound(pair));
      backup.hangs = false;
      awaitUntil(() -> !isFound(pair));
    }
  }

  @Test
  void aNodeThatIsNotListedIsToldWhy() {
    ReadOnly backup = new ReadOnly(new MemoryStore());
    MemoryStore primary = new MemoryStore();
    PairStore.open(new Shared(primary), backup, PairOptions.DEFAULT).close();
    backup.readOnly = true;
    assertThatThrownBy(() -> PairStore.open(primary, backup, PairOptions.DEFAULT))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("did not list this node within 10 s: disk full");
  }

  @Test
  void itIsAFindingForAsLongAsItLasts() {
    CutOffStore backup = new CutOffStore(new MemoryStore());
    PairOptions options = PairOptions.DEFAULT.withModeLease(Duration.ofSeconds(2));
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, options)) {
      assertThat(isFound(pair)).isFalse();
      backup.away = true;
      awaitUntil(() -> isFound(pair));
      backup.away = false;
      awaitUntil(() -> !isFound(pair));
    }
  }
}
