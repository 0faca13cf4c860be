package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that a change of the mode has overtaken. */
@Timeout(60)
class PairOvertakenTest {

  private static final PairOptions OPTIONS =
      PairOptions.DEFAULT.withModeLease(Duration.ofSeconds(10));

  /** Its renewals, and acquires without a queue, are answered when, and as, the test says. */
  private static final class HeldBack extends ForwardingStore {
    volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

    private final AtomicLong aheadMicros;

    HeldBack() {
      this(new AtomicLong());
    }

    private HeldBack(AtomicLong aheadMicros) {
      // Ten times slower: a waiter that nobody renews lives for two seconds of it.
      super(new MemoryStore(() -> (1L << 50) + System.nanoTime() / 10_000 + aheadMicros.get()));
      this.aheadMicros = aheadMicros;
    }

    void step(Duration ahead) {
      aheadMicros.addAndGet(ahead.toMillis() * 1_000);
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      CompletionStage<List<RenewReply>> reply = super.renew(commands);
      return gate.thenCompose(open -> reply);
    }

    volatile CompletableFuture<Void> reads = CompletableFuture.completedFuture(null);

    @Override
    public Registers registers() {
      Registers next = super.registers();
      return new Registers() {
        @Override
        public CompletionStage<Register> read(String key) {
          return reads.thenCompose(open -> next.read(key));
        }

        @Override
        public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
          return next.compareAndSet(seen, value);
        }

        @Override
        public CompletionStage<List<Register>> list(String prefix, int limit) {
          return next.list(prefix, limit);
        }
      };
    }

    volatile CompletableFuture<Void> cancels = CompletableFuture.completedFuture(null);

    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      return cancels.thenCompose(open -> super.cancel(command));
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      CompletionStage<AcquireReply> reply = super.acquire(command);
      return command.queue() ? reply : gate.thenCompose(open -> reply);
    }
  }

  private final HeldBack backup = new HeldBack();

  private static void move(PairStore pair, Mode to) {
    PairStatus before = pair.status().toCompletableFuture().join();
    pair.move(before, to, "alice", "a test").toCompletableFuture().join();
    while (pair.status().toCompletableFuture().join().mode() != to) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static Command.Acquire claim(long sequence) {
    return claim(sequence, true);
  }

  private static Command.Acquire claim(long sequence, boolean queue) {
    return new Command.Acquire(
        "x",
        new ClaimId("node", sequence),
        Command.EVERYTHING,
        Command.EVERYTHING,
        Duration.ofMinutes(5).toNanos() / 1_000,
        1,
        OptionalLong.empty(),
        queue,
        true,
        "node",
        "");
  }

  private static AcquireReply acquire(PairStore pair, Command.Acquire command) {
    return pair.acquire(command).toCompletableFuture().join();
  }

  private static CompletableFuture<List<RenewReply>> renew(PairStore pair, Command.Acquire of) {
    Command.Renew command =
        new Command.Renew(of.name(), of.claim(), of.permits(), of.leaseMicros(), "");
    return pair.renew(List.of(command)).toCompletableFuture();
  }

  private static AcquireReply passOn(
      PairStore pair, Command.Acquire from, AcquireReply granted, Command.Acquire to) {
    long token = token(granted);
    Command.Release release =
        new Command.Release(from.name(), from.claim(), token, OptionalLong.empty(), true);
    return pair.yieldGrant(new Command.Yield(release, to)).toCompletableFuture().join();
  }

  @Test
  @Tag("safety")
  void aRenewalThatTheReturnOvertakesIsAskedOfThePrimary() {
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS)) {
      move(pair, Mode.BACKUP);
      assertThat(acquire(pair, claim(1))).isInstanceOf(AcquireReply.Granted.class);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      backup.gate = gate;
      CompletableFuture<List<RenewReply>> renewal = renew(pair, claim(1));
      move(pair, Mode.PRIMARY);
      gate.complete(null);
      assertThat(renewal.join()).singleElement().isInstanceOf(RenewReply.Held.class);
    }
  }

  @Test
  @Tag("safety")
  void aPollThatTheGrantOvertakesSaysNothingOfIt() {
    List<Signal> told = new CopyOnWriteArrayList<>();
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS);
        LockStore.Subscription listens = pair.subscribe("node", told::add)) {
      move(pair, Mode.BACKUP);
      AcquireReply first = acquire(pair, claim(1));
      assertThat(acquire(pair, claim(2))).isInstanceOf(AcquireReply.Queued.class);
      assertThat(acquire(pair, claim(3))).isInstanceOf(AcquireReply.Queued.class);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      backup.gate = gate;
      CompletableFuture<List<RenewReply>> poll = renew(pair, claim(2));
      release(pair, claim(1), first);
      await(() -> told.stream().anyMatch(s -> isGranted(s, claim(2))));
      gate.complete(null);
      assertThat(poll.join()).singleElement().isInstanceOf(RenewReply.Held.class);
      assertThat(renew(pair, claim(2)).join()).singleElement().isInstanceOf(RenewReply.Held.class);
      assertThat(told).noneMatch(s -> isGranted(s, claim(3)));
    }
  }

  private static boolean isGranted(Signal signal, Command.Acquire claim) {
    return signal instanceof Signal.Granted granted
        && granted.grant().claim().equals(claim.claim());
  }

  private static void release(PairStore pair, Command.Acquire claim, AcquireReply granted) {
    long token = token(granted);
    Command.Release release =
        new Command.Release(claim.name(), claim.claim(), token, OptionalLong.empty(), true);
    assertThat(pair.release(release).toCompletableFuture().join()).isEqualTo(ReleaseReply.RELEASED);
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  @Tag("safety")
  void anAnswerToACopyWhoseGrantHasExpiredSaysNothingOfTheLaterOne() {
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS)) {
      move(pair, Mode.BACKUP);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      backup.gate = gate;
      CompletionStage<AcquireReply> late = pair.acquire(claim(1, false));
      backup.step(Duration.ofMinutes(6));
      backup.gate = CompletableFuture.completedFuture(null);
      long token = token(acquire(pair, claim(1, false)));
      gate.complete(null);
      assertThat(token(late.toCompletableFuture().join())).isEqualTo(token);
      assertThat(renew(pair, claim(1)).join())
          .singleElement()
          .isInstanceOfSatisfying(
              RenewReply.Held.class, held -> assertThat(held.grant().token()).isEqualTo(token));
    }
  }

  private static long token(AcquireReply granted) {
    return ((AcquireReply.Granted) granted).grant().token();
  }

  @Test
  void aWaiterOfTheBackupIsNotGoneBecauseTheBackupDoesNotAnswer() {
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS)) {
      move(pair, Mode.BACKUP);
      assertThat(acquire(pair, claim(1))).isInstanceOf(AcquireReply.Granted.class);
      assertThat(acquire(pair, claim(2))).isInstanceOf(AcquireReply.Queued.class);
      move(pair, Mode.PRIMARY);
      backup.gate =
          CompletableFuture.failedFuture(new OutcomeUnknownException("connection reset", null));
      assertThat(renew(pair, claim(2)).join())
          .singleElement()
          .isInstanceOf(RenewReply.Waiting.class);
    }
  }

  @Test
  @Tag("safety")
  void aLateCopyOfAClaimThatWasPassedOnIsGrantedNothingAfterASwitch() {
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS)) {
      AcquireReply first = acquire(pair, claim(1));
      assertThat(passOn(pair, claim(1), first, claim(2))).isInstanceOf(AcquireReply.Granted.class);
      move(pair, Mode.BACKUP);
      assertThat(acquire(pair, claim(1))).isInstanceOf(AcquireReply.Ended.class);
    }
  }

  @Test
  @Tag("safety")
  void aLateBusyToAnEarlierQuestionDoesNotForgetAWaiter() {
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS)) {
      move(pair, Mode.BACKUP);
      assertThat(acquire(pair, claim(1))).isInstanceOf(AcquireReply.Granted.class);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      backup.gate = gate;
      CompletionStage<AcquireReply> early = pair.acquire(claim(2, false));
      assertThat(acquire(pair, claim(2))).isInstanceOf(AcquireReply.Queued.class);
      gate.complete(null);
      assertThat(early.toCompletableFuture().join()).isInstanceOf(AcquireReply.Busy.class);
      int known = pair.state().locked(after -> pair.state().claims.size());
      assertThat(known).isEqualTo(2);
    }
  }

  @Test
  @Tag("safety")
  void aClaimThatThisNodeDoesNotKnowIsNotConfirmedAndNotKept() {
    MemoryStore primary = new MemoryStore();
    try (PairStore pair = PairStore.open(primary, backup, OPTIONS)) {
      // The first epoch has its names as they are.
      assertThat(primary.acquire(claim(7)).toCompletableFuture().join())
          .isInstanceOf(AcquireReply.Granted.class);
      assertThat(renew(pair, claim(7)).join()).singleElement().isInstanceOf(RenewReply.Gone.class);
      while (primary.find("x").toCompletableFuture().join().stream()
          .anyMatch(info -> !info.holders().isEmpty())) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  private static Command.Acquire tick(long sequence) {
    Command.Acquire plain = claim(sequence);
    return new Command.Acquire(
        plain.name(),
        plain.claim(),
        plain.permits(),
        plain.capacity(),
        plain.leaseMicros(),
        1,
        OptionalLong.of(5),
        true,
        true,
        "node",
        "");
  }

  @Test
  void aTickThatOneCopyOfAnAcquireFindsDoneIsNotWaitedForByAnother() {
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS)) {
      move(pair, Mode.BACKUP);
      assertThat(acquire(pair, claim(1))).isInstanceOf(AcquireReply.Granted.class);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      backup.reads = gate;
      CompletionStage<AcquireReply> copy = pair.acquire(tick(2));
      backup.reads = CompletableFuture.completedFuture(null);
      assertThat(acquire(pair, tick(2))).isInstanceOf(AcquireReply.Queued.class);
      Register mark = backup.registers().read("pawl:mark:x").toCompletableFuture().join();
      assertThat(backup.registers().compareAndSet(mark, Optional.of("5")).toCompletableFuture())
          .isCompleted();
      gate.complete(null);
      assertThat(copy.toCompletableFuture().join()).isInstanceOf(AcquireReply.Done.class);
      await(() -> pair.find("x").toCompletableFuture().join().orElseThrow().waiters().isEmpty());
      // What is known in the end is the holder's claim.
      await(() -> pair.state().locked(after -> pair.state().claims.size()) == 1);
    }
  }

  @Test
  void aWaiterOfTheBackupWhoseTickWasDoneInThePrimaryIsToldSo() {
    List<Signal> told = new CopyOnWriteArrayList<>();
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS);
        LockStore.Subscription listens = pair.subscribe("node", told::add)) {
      move(pair, Mode.BACKUP);
      AcquireReply first = acquire(pair, tick(1));
      assertThat(first).isInstanceOf(AcquireReply.Granted.class);
      assertThat(acquire(pair, tick(2))).isInstanceOf(AcquireReply.Queued.class);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      backup.cancels = gate; // The backup has the first still when the primary has not.
      move(pair, Mode.PRIMARY);
      Command.Release done =
          new Command.Release("x", tick(1).claim(), token(first), OptionalLong.of(5), true);
      assertThat(pair.release(done).toCompletableFuture().join()).isEqualTo(ReleaseReply.RELEASED);
      gate.complete(null);
      while (told.stream()
          .noneMatch(s -> s instanceof Signal.Done d && d.claim().equals(tick(2).claim()))) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }
}
