package dev.pawl.testkit;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store behind a network that fails when told to: it refuses commands, swallows replies, or loses
 * signals. What it does to a command it does to acquire, renew, release, yield and cancel alike,
 * and to whatever is asked of its registers.
 */
public final class UnreliableStore extends ForwardingStore {

  /** What becomes of commands. */
  public enum Mode {
    /** They arrive and are answered. */
    GOOD,
    /** They do not arrive, and the node is told so. */
    REFUSING,
    /** They arrive, and the node is told that the outcome is not known. */
    LOSING_REPLIES,
    /** They arrive, and the node hears nothing. */
    SILENT,
    /** They arrive when {@link #deliverWhatWasDelayed} is called, and the node hears nothing. */
    DELAYING
  }

  private volatile Mode mode = Mode.GOOD;
  private volatile boolean deaf;
  private final Deque<Supplier<? extends CompletionStage<?>>> delayed =
      new ConcurrentLinkedDeque<>();
  private final AtomicInteger repliesToLose = new AtomicInteger();

  /** Stands in front of {@code next}, and is good to begin with. */
  public UnreliableStore(LockStore next) {
    super(next);
  }

  /** Changes what becomes of commands from now on. */
  public void become(Mode newMode) {
    mode = newMode;
  }

  /** Loses the replies to the next commands, that many, and is as it was afterwards. */
  public void loseReplies(int count) {
    repliesToLose.set(count);
  }

  /**
   * Sends what has been delayed so far, the last first, since a network keeps no order either. The
   * future is completed when all of it was answered.
   */
  public CompletableFuture<Void> deliverWhatWasDelayed() {
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (var next = delayed.pollLast(); next != null; next = delayed.pollLast()) {
      answers.add(next.get().toCompletableFuture());
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
  }

  /** Loses all signals from now on. */
  public void becomeDeaf() {
    deaf = true;
  }

  private <R> CompletionStage<R> pass(Supplier<CompletionStage<R>> command) {
    Mode now =
        repliesToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0 ? Mode.LOSING_REPLIES : mode;
    return switch (now) {
      case GOOD -> command.get();
      case REFUSING ->
          CompletableFuture.failedFuture(new StoreUnavailableException("cut off", null));
      case LOSING_REPLIES ->
          command
              .get()
              .thenCompose(
                  reply ->
                      CompletableFuture.failedFuture(
                          new OutcomeUnknownException("the reply was lost", null)));
      case DELAYING -> {
        delayed.add(command);
        yield new CompletableFuture<>();
      }
      case SILENT -> command.get().thenCompose(reply -> new CompletableFuture<>());
    };
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return super.subscribe(
        node,
        signal -> {
          if (!deaf) {
            listener.accept(signal);
          }
        });
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return pass(() -> super.acquire(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return pass(() -> super.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return pass(() -> super.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return pass(() -> super.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return pass(() -> super.cancel(command));
  }

  @Override
  public Registers registers() {
    Registers next = super.registers();
    return new ForwardingRegisters(
        next,
        new ForwardingRegisters.Way() {
          @Override
          public <R> CompletionStage<R> pass(Supplier<CompletionStage<R>> call) {
            return UnreliableStore.this.pass(call);
          }
        });
  }
}
