package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One node's way to one of the servers of {@link PairSimulation}: late, lost, cut. */
final class SimLink implements LockStore {

  private static final long MILLI = 1_000_000;

  private final PairSimulation world;
  private final PairSimulation.Server server;
  private final SimPairNode node;
  boolean cut;

  SimLink(PairSimulation world, PairSimulation.Server server, SimPairNode node) {
    this.world = world;
    this.server = server;
    this.node = node;
  }

  private boolean isPrimary() {
    return server.name.equals("primary");
  }

  private boolean isCut() {
    return cut || server.down;
  }

  private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (isCut() || world.mishap(3)) {
      lose(answer, false);
      return answer;
    }
    world.in(
        delay(),
        () -> {
          if (isCut()) {
            lose(answer, false);
            return;
          }
          T reply = call.get().toCompletableFuture().join();
          if (world.mishap(3)) {
            lose(answer, true);
          } else {
            world.in(
                delay(),
                () -> {
                  if (isCut()) {
                    lose(answer, true);
                  } else {
                    node.run(() -> answer.complete(reply));
                  }
                });
          }
        });
    return answer;
  }

  private void lose(CompletableFuture<?> answer, boolean mayHaveArrived) {
    if (world.chance(50)) {
      RuntimeException error =
          mayHaveArrived
              ? new OutcomeUnknownException("connection reset", null)
              : new StoreUnavailableException("connection refused", null);
      world.in(delay(), () -> node.run(() -> answer.completeExceptionally(error)));
    }
  }

  private long delay() {
    return world.mishap(3) ? world.between(MILLI, 4_000 * MILLI) : world.between(MILLI, 5 * MILLI);
  }

  @Override
  public String describe() {
    return server.name;
  }

  @Override
  public Set<Capability> capabilities() {
    return server.store.capabilities();
  }

  @Override
  public Subscription subscribe(String id, Consumer<Signal> to) {
    return server.store.subscribe(
        id,
        signal -> {
          if (!isCut() && !world.mishap(15)) {
            world.in(delay(), () -> node.run(() -> to.accept(signal)));
          }
        });
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    if (world.broken.isPretended(command, isPrimary() && node.isIn(Mode.RETURNING))) {
      long micros = 1_700_000_000_000_000L + world.now() / 1_000;
      return send(
          () ->
              CompletableFuture.completedFuture(
                  new AcquireReply.Granted(
                      new Grant(
                          command.claim(), micros, 1, micros + command.leaseMicros(), micros))));
    }
    return send(() -> server.store.acquire(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return send(() -> server.store.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return send(() -> server.store.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return send(() -> server.store.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return send(() -> server.store.cancel(command));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return send(() -> server.store.evict(command));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return send(() -> server.store.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return send(() -> server.store.list(listing));
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return send(() -> server.store.nowMicros());
  }

  @Override
  public Journal journal() {
    Journal journal = server.store.journal();
    return new Journal() {
      @Override
      public CompletionStage<Void> append(
          JournalEntry.Kind kind, String name, long token, String by, Map<String, String> more) {
        return send(() -> journal.append(kind, name, token, by, more));
      }

      @Override
      public CompletionStage<List<JournalEntry>> read(String name, int limit) {
        return send(() -> journal.read(name, limit));
      }

      @Override
      public CompletionStage<List<JournalEntry>> readAll(int limit) {
        return send(() -> journal.readAll(limit));
      }
    };
  }

  @Override
  public Registers registers() {
    Registers registers = server.store.registers();
    return new Registers() {
      @Override
      public CompletionStage<Register> read(String key) {
        return send(() -> registers.read(key));
      }

      @Override
      public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
        String text = value.orElse("");
        Optional<String> written = world.broken.written(seen, text);
        return value.isEmpty()
            ? send(() -> registers.compareAndSet(seen, value))
            : written.isEmpty()
                ? send(() -> CompletableFuture.completedFuture(Broken.pretended(seen, text)))
                : send(
                    () -> registers.compareAndSet(world.broken.seen(server.store, seen), written));
      }

      @Override
      public CompletionStage<List<Register>> list(String prefix, int limit) {
        return send(() -> registers.list(prefix, limit));
      }
    };
  }

  @Override
  public void close() {}
}
