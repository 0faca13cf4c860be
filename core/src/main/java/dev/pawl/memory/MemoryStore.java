package dev.pawl.memory;

import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in this process's memory, for unit tests and for applications of one process; also the
 * simplest complete example of a store.
 */
public final class MemoryStore implements LockStore {

  private final ConcurrentMap<String, LockState> names = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Consumer<Signal>> listeners = new ConcurrentHashMap<>();

  /** How often the store looks for names that nobody came back to, while it is used. */
  private static final long SWEEP_MICROS = 1_000_000;

  private final LongSupplier clockMicros;
  private final MemoryJournal journal;
  private final MemoryRegisters registers = new MemoryRegisters();
  private final AtomicLong sweptMicros = new AtomicLong();
  private volatile boolean closed;

  /** Opens an empty store. */
  public MemoryStore() {
    this(steadyMicros());
  }

  /** Opens an empty store with a clock of its own, in microseconds since 1970. */
  public MemoryStore(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
    this.journal = new MemoryJournal(() -> instant(clockMicros.getAsLong()));
  }

  /** The time of day when the store was opened, and the monotonic clock from then on. */
  private static LongSupplier steadyMicros() {
    long startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    long startNanos = System.nanoTime();
    return () -> startMicros + (System.nanoTime() - startNanos) / 1_000;
  }

  @Override
  public String describe() {
    return "memory";
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    listeners.put(node, listener);
    return () -> listeners.remove(node, listener);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return apply(command, LockMachine::acquire);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    if (closed) {
      return refusal();
    }
    List<RenewReply> replies = new ArrayList<>(commands.size());
    for (Command.Renew command : commands) {
      replies.add(turn(command, LockMachine::renew));
    }
    return CompletableFuture.completedFuture(replies);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return apply(command, LockMachine::release);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return apply(command, LockMachine::yieldGrant);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return apply(command, LockMachine::cancel);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return apply(command, LockMachine::evict);
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return apply(command, LockMachine::reset);
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    if (closed) {
      return refusal();
    }
    return CompletableFuture.completedFuture(
        Optional.ofNullable(names.get(name))
            .map(state -> LockMachine.describe(name, state, clockMicros.getAsLong())));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    if (closed) {
      return refusal();
    }
    long now = clockMicros.getAsLong();
    sweep(now);
    return CompletableFuture.completedFuture(
        names.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(listing.prefix()))
            .map(entry -> LockMachine.describe(entry.getKey(), entry.getValue(), now))
            .filter(listing::admits)
            .sorted(Comparator.comparing(LockInfo::name, ByteOrder.OF_NAMES))
            .limit(listing.limit())
            .toList());
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return closed ? refusal() : CompletableFuture.completedFuture(clockMicros.getAsLong());
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return CompletableFuture.completedFuture(
        List.of(
            Finding.unsafe(
                "the locks are in the memory of one process",
                "no other process sees them, and they end with this one",
                "use memory: for tests and for applications of one process; for several, name a"
                    + " database or Redis")));
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public Registers registers() {
    return registers;
  }

  /** Returns how many names the store remembers, for tests that nothing is left behind (I10). */
  public int size() {
    sweep(clockMicros.getAsLong());
    return names.size();
  }

  @Override
  public void close() {
    closed = true;
    names.clear();
    listeners.clear();
    registers.close();
  }

  private <C extends Command, R> CompletionStage<R> apply(C command, Rule<C, R> rule) {
    return closed ? refusal() : CompletableFuture.completedFuture(turn(command, rule));
  }

  private <C extends Command, R> R turn(C command, Rule<C, R> rule) {
    Exchange<C, R> exchange = new Exchange<>(command, rule);
    names.compute(command.name(), exchange);
    Step<R> step = exchange.step();
    long swept = sweptMicros.get();
    if (exchange.now - swept > SWEEP_MICROS && sweptMicros.compareAndSet(swept, exchange.now)) {
      sweep(exchange.now);
    }
    // After the map's lock is given back: a listener may send a command of its own.
    step.signals().forEach(this::deliver);
    return step.reply();
  }

  private void deliver(Signal signal) {
    Consumer<Signal> listener =
        signal.recipient().map(claim -> listeners.get(claim.node())).orElse(null);
    if (listener != null) {
      listener.accept(signal);
    }
  }

  /** Forgets the names whose users are gone: they died, or their token was ahead of the clock. */
  private void sweep(long now) {
    names.forEach(
        (name, state) -> {
          if (state.isForgettable(now)) {
            names.computeIfPresent(name, (key, same) -> same.isForgettable(now) ? null : same);
          }
        });
  }

  static <R> CompletionStage<R> refusal() {
    return CompletableFuture.failedFuture(
        new StoreUnavailableException("the memory store is closed", null));
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** One of the machine's commands. */
  @FunctionalInterface
  private interface Rule<C extends Command, R> {
    Step<R> apply(LockState state, C command, long now);
  }

  /**
   * One command under way through the map, which wants a function and gives back only the state.
   */
  private final class Exchange<C extends Command, R>
      implements BiFunction<String, @Nullable LockState, @Nullable LockState> {
    private final C command;
    private final Rule<C, R> rule;
    private @Nullable Step<R> step;
    private long now;

    Exchange(C command, Rule<C, R> rule) {
      this.command = command;
      this.rule = rule;
    }

    @Override
    public @Nullable LockState apply(String name, @Nullable LockState state) {
      now = clockMicros.getAsLong();
      Step<R> next = rule.apply(state == null ? LockState.EMPTY : state, command, now);
      step = next;
      LockState after = next.state();
      return after.isForgettable(now) ? null : after;
    }

    Step<R> step() {
      if (step == null) {
        throw new IllegalStateException("the map did not compute " + command.name());
      }
      return step;
    }
  }
}
