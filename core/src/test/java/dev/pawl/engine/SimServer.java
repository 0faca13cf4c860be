package dev.pawl.engine;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Registers;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The store's server in a simulation: the lock machine, a clock with a rate of its own, and an eye
 * on I1.
 */
public class SimServer {

  public final Map<String, LockState> names = new HashMap<>();
  final World world;
  private final double rate;
  private final BiConsumer<String, ClaimId> onGrant;
  private final Set<ClaimId> ended = new HashSet<>();
  private final Map<ClaimId, Integer> arrivals = new HashMap<>();
  private int arrived;

  /** What is besides the names. */
  final MemoryStore rest = new MemoryStore(this::micros);

  final Journal journal = rest.journal();
  final Registers registers = rest.registers();

  /** By how much the clock has been set forward or back. */
  long skewMicros;

  /** Where signals go; set before the first command. */
  public BiConsumer<String, Signal> signals = (node, signal) -> {};

  public SimServer(World world, double rate, BiConsumer<String, ClaimId> onGrant) {
    this.world = world;
    this.rate = rate;
    this.onGrant = onGrant;
  }

  public long micros() {
    return 1_700_000_000_000_000L + skewMicros + (long) (world.now() / 1_000.0 * rate);
  }

  public Object apply(Command command) {
    String name = command.name();
    LockState before = names.getOrDefault(name, LockState.EMPTY);
    if (command instanceof Command.Acquire acquire) {
      arrive(before, acquire.claim());
    } else if (command instanceof Command.Yield yielded) {
      arrive(before, yielded.next().claim());
    }
    Step<?> step = step(before, command);
    LockState after = step.state();
    check(name, before, after);
    if (after.isForgettable(micros())) {
      names.remove(name);
    } else {
      names.put(name, after);
    }
    if (command instanceof Command.Release release) {
      ended.add(release.claim());
    } else if (command instanceof Command.Cancel cancel) {
      ended.add(cancel.claim());
    } else if (command instanceof Command.Yield yielded) {
      ended.add(yielded.release().claim());
    }
    for (Signal signal : step.signals()) {
      signals.accept(signal.recipient().orElseThrow().node(), signal);
    }
    return step.reply();
  }

  /** A claim that the store knows keeps its place; one that it has given up arrives anew. */
  private void arrive(LockState before, ClaimId claim) {
    boolean waits =
        before.queue().stream()
            .anyMatch(w -> w.claim().equals(claim) && w.aliveUntilMicros() > micros());
    if (!waits) {
      arrivals.put(claim, ++arrived);
    }
  }

  List<RenewReply> renew(List<Command.Renew> commands) {
    List<RenewReply> replies = new ArrayList<>();
    commands.forEach(command -> replies.add((RenewReply) apply(command)));
    return replies;
  }

  Step<?> step(LockState state, Command command) {
    long now = micros();
    if (command instanceof Command.Acquire acquire) {
      return LockMachine.acquire(state, acquire, now);
    } else if (command instanceof Command.Renew renew) {
      return LockMachine.renew(state, renew, now);
    } else if (command instanceof Command.Release release) {
      return LockMachine.release(state, release, now);
    } else if (command instanceof Command.Yield yielded) {
      return LockMachine.yieldGrant(state, yielded, now);
    } else if (command instanceof Command.Cancel cancel) {
      return LockMachine.cancel(state, cancel, now);
    } else if (command instanceof Command.Reset reset) {
      return LockMachine.reset(state, reset, now);
    }
    return LockMachine.evict(state, (Command.Evict) command, now);
  }

  private void check(String name, LockState before, LockState after) {
    Set<ClaimId> held = new HashSet<>();
    before.holders().forEach(holder -> held.add(holder.claim()));
    boolean exclusive = false;
    for (LockState.Holder holder : after.holders()) {
      exclusive |= holder.permits() == Command.EVERYTHING;
      if (!held.contains(holder.claim())) {
        if (ended.contains(holder.claim())) {
          world.violated("I5: " + holder.claim() + " took " + name + " after it had ended");
        }
        checkOrder(name, holder.claim(), after);
        onGrant.accept(name, holder.claim());
      }
    }
    if (exclusive && after.holders().size() > 1) {
      world.violated("I1: " + name + " is held by " + after.holders());
    }
  }

  private void checkOrder(String name, ClaimId granted, LockState after) {
    int arrival = arrivals.getOrDefault(granted, Integer.MAX_VALUE);
    for (LockState.Waiter waiter : after.queue()) {
      if (waiter.fair() && arrivals.getOrDefault(waiter.claim(), 0) < arrival) {
        world.violated("I7: " + granted + " was granted " + name + " before " + waiter.claim());
      }
    }
  }
}
