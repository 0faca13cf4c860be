package dev.pawl.engine;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.machine.LockMachine;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One node's way to the server: messages are late, overtake each other, get lost, or fail loudly.
 */
public final class SimNetwork implements LockStore {

  /** How bad it is, in percent; all zero is a network that only takes its time. */
  public record Faults(
      int requestLost, int replyLost, int signalLost, int failLoudly, int verySlow) {

    public static final Faults NONE = new Faults(0, 0, 0, 0, 0);
  }

  private static final long MILLI = 1_000_000;

  private final World world;
  private final SimServer server;
  private final SimNode node;
  public Faults faults;

  /** Until when nothing gets through, of true time. */
  public long outageUntil;

  /** Whether the journal cannot be reached, though everything else can. */
  public boolean journalDown;

  /** Told of every message to the server. */
  public Runnable onSend = () -> {};

  private Consumer<Signal> listener = signal -> {};

  SimNetwork(World world, SimServer server, SimNode node, Faults faults) {
    this.world = world;
    this.server = server;
    this.node = node;
    this.faults = faults;
  }

  private <T> CompletionStage<T> send(Supplier<Object> command) {
    onSend.run();
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (world.now() < outageUntil || world.chance(faults.requestLost())) {
      lose(answer, false);
      return answer;
    }
    world.in(
        delay(),
        () -> {
          @SuppressWarnings("unchecked")
          T reply = (T) command.get();
          if (world.now() < outageUntil || world.chance(faults.replyLost())) {
            lose(answer, true);
          } else {
            world.in(delay(), () -> node.run(() -> answer.complete(reply)));
          }
        });
    return answer;
  }

  /** A lost message is silence, or an error that says what the sender can know. */
  private void lose(CompletableFuture<?> answer, boolean mayHaveArrived) {
    if (world.chance(faults.failLoudly())) {
      RuntimeException error =
          mayHaveArrived || world.chance(50)
              ? new OutcomeUnknownException("connection reset", null)
              : new StoreUnavailableException("connection refused", null);
      world.in(delay(), () -> node.run(() -> answer.completeExceptionally(error)));
    }
  }

  private long delay() {
    return world.chance(faults.verySlow())
        ? world.between(MILLI, 4_000 * MILLI)
        : world.between(MILLI / 10, 3 * MILLI);
  }

  /** Signals are lost as often as the faults say, and doubled as often as messages are slow. */
  void deliver(Signal signal) {
    int copies = world.chance(faults.verySlow()) ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      if (world.now() >= outageUntil && !world.chance(faults.signalLost())) {
        world.in(delay(), () -> node.run(() -> listener.accept(signal)));
      }
    }
  }

  @Override
  public String describe() {
    return "the simulated store";
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public Subscription subscribe(String id, Consumer<Signal> to) {
    listener = to;
    return () -> listener = signal -> {};
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return send(() -> server.apply(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return send(() -> server.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return send(() -> server.apply(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return send(() -> server.apply(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return send(() -> server.apply(command));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return send(() -> server.apply(command));
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return send(() -> server.apply(command));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return send(
        () ->
            Optional.ofNullable(server.names.get(name))
                .map(state -> LockMachine.describe(name, state, server.micros())));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    throw new UnsupportedOperationException("no operator in this world");
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return send(server::micros);
  }

  @Override
  public Journal journal() {
    return new Journal() {
      @Override
      public CompletionStage<Void> append(
          JournalEntry.Kind kind,
          String name,
          long token,
          String label,
          Map<String, String> details) {
        return look(() -> server.journal.append(kind, name, token, label, details));
      }

      @Override
      public CompletionStage<List<JournalEntry>> read(String name, int limit) {
        return look(() -> server.journal.read(name, limit));
      }

      @Override
      public CompletionStage<List<JournalEntry>> readAll(int limit) {
        return look(() -> server.journal.readAll(limit));
      }
    };
  }

  @Override
  public Registers registers() {
    return new Registers() {
      @Override
      public CompletionStage<Register> read(String key) {
        return ask(() -> server.registers.read(key));
      }

      @Override
      public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
        return ask(() -> server.registers.compareAndSet(seen, value));
      }

      @Override
      public CompletionStage<List<Register>> list(String prefix, int limit) {
        return ask(() -> server.registers.list(prefix, limit));
      }
    };
  }

  private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question) {
    return send(() -> question.get().toCompletableFuture().join());
  }

  private <T> CompletionStage<T> look(Supplier<CompletionStage<T>> question) {
    return journalDown
        ? CompletableFuture.failedFuture(new StoreUnavailableException("no journal", null))
        : ask(question);
  }

  @Override
  public void close() {}
}
