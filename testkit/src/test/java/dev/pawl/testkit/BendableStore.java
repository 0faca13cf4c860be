package dev.pawl.testkit;

import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A sound store on the machine, of which every part can be bent: what broken stores are made of.
 */
class BendableStore implements LockStore {

  final SkippingClock clock = new SkippingClock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, LockState> names = new TreeMap<>();
  private final Map<String, Consumer<Signal>> listeners = new ConcurrentHashMap<>();
  private final MemoryStore rest = new MemoryStore(clock);
  private volatile boolean closed;

  /** One more instance that sees the same locks. */
  LockStore instance() {
    return this;
  }

  /** What a name is stored under. */
  String key(String name) {
    return name;
  }

  /** What a turn of whatever kind leaves behind. */
  LockState kept(LockState before, LockState after, long now) {
    return after;
  }

  /** Whether a name can go. */
  boolean canForget(LockState state, long now) {
    return living(state, now).isForgettable(now);
  }

  void deliver(String node, Signal signal) {
    Consumer<Signal> listener = listeners.get(node);
    if (listener != null) {
      listener.accept(signal);
    }
  }

  final void forgetListeners() {
    listeners.clear();
  }

  long leftovers() {
    lock.lock();
    try {
      long now = clock.getAsLong();
      names.values().removeIf(state -> canForget(state, now));
      return names.size();
    } finally {
      lock.unlock();
    }
  }

  final LockState state(String name) {
    lock.lock();
    try {
      return names.getOrDefault(key(name), LockState.EMPTY);
    } finally {
      lock.unlock();
    }
  }

  /** Changes a name outside of any rule. */
  final void bend(String name, Function<LockState, LockState> change) {
    lock.lock();
    try {
      names.put(key(name), change.apply(names.getOrDefault(key(name), LockState.EMPTY)));
    } finally {
      lock.unlock();
    }
  }

  /** What is left of a state after those who are over by the clock have gone. */
  static LockState living(LockState state, long now) {
    return new LockState(
        state.lastToken(),
        state.mark(),
        state.markUntilMicros(),
        state.holders().stream().filter(each -> each.untilMicros() > now).toList(),
        state.queue().stream().filter(each -> each.aliveUntilMicros() > now).toList(),
        state.ended().stream().filter(each -> each.untilMicros() > now).toList());
  }

  static LockState.Holder until(LockState.Holder holder, long untilMicros) {
    return new LockState.Holder(
        holder.claim(),
        holder.permits(),
        holder.token(),
        holder.span(),
        holder.sinceMicros(),
        untilMicros,
        holder.label(),
        holder.actor());
  }

  static LockState with(
      LockState state, List<LockState.Holder> holders, List<LockState.Waiter> queue) {
    return new LockState(
        state.lastToken(), state.mark(), state.markUntilMicros(), holders, queue, state.ended());
  }

  final <C extends Command, R> R turn(C command, Rule<C, R> rule) {
    return turn(command, rule, 0);
  }

  /** Does it by a clock that is ahead by so much. */
  final <C extends Command, R> R turn(C command, Rule<C, R> rule, long aheadMicros) {
    Step<R> step;
    lock.lock();
    try {
      // In here: what others took and freed meanwhile may be forgotten, their tokens too (I3).
      long now = clock.getAsLong() + aheadMicros;
      String key = key(command.name());
      LockState before = names.getOrDefault(key, LockState.EMPTY);
      step = rule.apply(before, command, now);
      LockState after = kept(before, step.state(), now);
      if (canForget(after, now)) {
        names.remove(key);
      } else {
        names.put(key, after);
      }
    } finally {
      lock.unlock();
    }
    step.signals().forEach(signal -> deliver(signal.recipient().orElseThrow().node(), signal));
    return step.reply();
  }

  private <C extends Command, R> CompletionStage<R> answer(C command, Rule<C, R> rule) {
    return closed ? refusal() : CompletableFuture.completedFuture(turn(command, rule));
  }

  private static <R> CompletionStage<R> refusal() {
    return CompletableFuture.failedFuture(new StoreUnavailableException("closed", null));
  }

  final boolean isClosed() {
    return closed;
  }

  @Override
  public String describe() {
    return "broken: " + getClass().getSimpleName();
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
    return answer(command, LockMachine::acquire);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    if (closed) {
      return refusal();
    }
    List<RenewReply> replies = new ArrayList<>();
    commands.forEach(command -> replies.add(turn(command, LockMachine::renew)));
    return CompletableFuture.completedFuture(replies);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return answer(command, LockMachine::release);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return answer(command, LockMachine::yieldGrant);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return answer(command, LockMachine::cancel);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return answer(command, LockMachine::evict);
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return answer(command, LockMachine::reset);
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    LockState state = state(name);
    return closed
        ? refusal()
        : CompletableFuture.completedFuture(
            state.equals(LockState.EMPTY)
                ? Optional.empty()
                : Optional.of(LockMachine.describe(name, state, clock.getAsLong())));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return closed
        ? refusal()
        : CompletableFuture.completedFuture(listed(listing.prefix()::equals, listing));
  }

  /** Lists the names of which some beginning is accepted. */
  final List<LockInfo> listed(Predicate<String> beginning, Listing listing) {
    lock.lock();
    try {
      long now = clock.getAsLong();
      names.values().removeIf(state -> canForget(state, now));
      return names.entrySet().stream()
          .filter(
              entry ->
                  IntStream.rangeClosed(0, entry.getKey().length())
                      .mapToObj(end -> entry.getKey().substring(0, end))
                      .anyMatch(beginning))
          .map(entry -> LockMachine.describe(entry.getKey(), entry.getValue(), now))
          .filter(listing::admits)
          .sorted(
              Comparator.comparing(
                  info -> info.name().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned))
          .limit(listing.limit())
          .toList();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Journal journal() {
    return rest.journal();
  }

  @Override
  public Registers registers() {
    return rest.registers();
  }

  @Override
  public void close() {
    closed = true;
    rest.close();
  }

  /** One of the machine's commands. */
  @FunctionalInterface
  interface Rule<C extends Command, R> {
    Step<R> apply(LockState state, C command, long now);
  }
}
