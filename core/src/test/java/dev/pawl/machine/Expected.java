package dev.pawl.machine;

import dev.pawl.machine.LockState.Ended;
import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a command leaves of a state before anybody is granted: the part of the rules that leaves no
 * choice, written down a second time and as slowly as it reads.
 */
final class Expected {

  final List<Holder> holders;
  final List<Waiter> queue;
  final List<Ended> ended;
  final List<Signal> signals = new ArrayList<>();
  OptionalLong mark;
  long markUntil;

  /** Every token up to here may have been given to somebody. */
  long tokenFloor;

  /** Who gets the full lease if it is granted in this turn. */
  Optional<ClaimId> asking = Optional.empty();

  /** Who was removed while it held the name. */
  Optional<Holder> removedHolder = Optional.empty();

  boolean removedWaiter;

  /** Whether the claim that asks was in the state before. */
  boolean known;

  /** Whether the claim that asks may be in the state afterwards. */
  boolean admitted;

  /** Whether the next claim of a yield takes nothing, because the release found none. */
  boolean looked;

  /** Whether the mark was lowered. */
  boolean wasReset;

  private final long now;

  Expected(LockState before, Command command, long now) {
    this.now = now;
    this.mark = before.mark();
    this.markUntil = before.markUntilMicros();
    this.tokenFloor = before.lastToken();
    this.holders = new ArrayList<>(before.holders());
    this.queue = new ArrayList<>(before.queue());
    this.ended = new ArrayList<>(before.ended());
    for (Holder dead : holders) {
      if (dead.untilMicros() <= now && dead.untilMicros() == dead.sinceMicros() + 2_000_000) {
        // Its node never confirmed it: its waiters go that were last heard of, far back, before it.
        queue.removeIf(
            w ->
                w.claim().node().equals(dead.claim().node())
                    && w.aliveUntilMicros() > now + 2_000_000
                    && w.aliveUntilMicros() <= dead.sinceMicros() + 30_000_000);
      }
    }
    holders.removeIf(h -> h.untilMicros() <= now);
    queue.removeIf(w -> w.aliveUntilMicros() <= now);
    ended.removeIf(e -> e.untilMicros() <= now);
    if (command instanceof Command.Acquire acquire) {
      ask(acquire);
    } else if (command instanceof Command.Renew renew) {
      refresh(renew.claim(), renew.permits(), renew.leaseMicros(), renew.actor());
      asking = Optional.of(renew.claim());
    } else if (command instanceof Command.Release release) {
      end(release);
    } else if (command instanceof Command.Yield yielded) {
      end(yielded.release());
      if (yielded.release().mark().isPresent() && removedHolder.isEmpty()) {
        look(yielded.next());
      } else {
        ask(yielded.next());
      }
    } else if (command instanceof Command.Cancel cancel) {
      remove(cancel.claim(), cancel.late());
    } else if (command instanceof Command.Evict evict) {
      evict(evict.token());
    } else if (command instanceof Command.Reset reset && isSeen(reset)) {
      wasReset = true;
      mark = reset.to();
      markUntil = mark.isPresent() ? markUntil : 0;
    }
  }

  /** A copy of the end of a tick: it changes nothing about the next claim. */
  private void look(Command.Acquire command) {
    looked = true;
    known =
        holders.stream().anyMatch(h -> h.claim().equals(command.claim()))
            || queue.stream().anyMatch(w -> w.claim().equals(command.claim()));
    admitted = !isEnded(command.claim()) && (known || !isReached(command.mark()));
  }

  private void ask(Command.Acquire command) {
    if (isEnded(command.claim())) {
      return;
    }
    known = refresh(command.claim(), command.permits(), command.leaseMicros(), command.actor());
    if (!known && isReached(command.mark())) {
      return;
    }
    admitted = true;
    asking = Optional.of(command.claim());
    if (!known) {
      queue.add(
          new Waiter(
              command.claim(),
              command.permits(),
              command.capacity(),
              command.leaseMicros(),
              command.span(),
              command.mark(),
              command.fair(),
              now,
              now + (queue.size() < 8 ? 2_000_000 : 30_000_000),
              command.label(),
              command.actor()));
    }
  }

  private boolean refresh(ClaimId claim, int permits, long leaseMicros, String actor) {
    boolean found = false;
    for (int i = 0; i < holders.size(); i++) {
      Holder h = holders.get(i);
      if (h.claim().equals(claim)) {
        long until = Math.max(h.untilMicros(), now + leaseMicros);
        int left = Math.min(h.permits(), permits);
        holders.set(
            i,
            new Holder(claim, left, h.token(), h.span(), h.sinceMicros(), until, h.label(), actor));
        found = true;
      }
    }
    for (int i = 0; i < queue.size(); i++) {
      Waiter w = queue.get(i);
      if (w.claim().equals(claim)) {
        queue.set(i, w.alive(now + (i < 8 ? 2_000_000 : 30_000_000), actor));
        found = true;
      }
    }
    return found;
  }

  private void end(Command.Release command) {
    remove(command.claim(), command.late());
    if (removedHolder.isEmpty()) {
      return;
    }
    Holder holder = removedHolder.get();
    long used = command.usedToken();
    if (holder.lastToken() == tokenFloor && used >= holder.token() && used < tokenFloor) {
      tokenFloor = used;
    }
    if (command.mark().isPresent() && !isReached(command.mark())) {
      mark = command.mark();
      markUntil = Math.max(markUntil, now + command.keepMicros());
      for (Waiter waiter : List.copyOf(queue)) {
        if (isReached(waiter.mark())) {
          queue.remove(waiter);
          signals.add(new Signal.Done(command.name(), waiter.claim(), mark.getAsLong()));
        }
      }
    }
  }

  private void remove(ClaimId claim, boolean late) {
    for (Holder holder : holders) {
      if (holder.claim().equals(claim)) {
        removedHolder = Optional.of(holder);
      }
    }
    holders.removeIf(h -> h.claim().equals(claim));
    removedWaiter = queue.removeIf(w -> w.claim().equals(claim));
    if (late) {
      remember(claim);
    }
  }

  private void remember(ClaimId claim) {
    if (!isEnded(claim)) {
      ended.add(new Ended(claim, now + LockMachine.ENDED_MICROS));
    }
    if (ended.size() > 100) {
      ended.remove(0);
    }
  }

  private void evict(long token) {
    removedHolder =
        holders.stream().filter(h -> h.token() <= token && token <= h.lastToken()).findFirst();
    removedHolder.ifPresent(
        holder -> {
          holders.remove(holder);
          remember(holder.claim());
          signals.add(new Signal.Evicted(Script.NAME, holder.claim()));
        });
  }

  private boolean isSeen(Command.Reset reset) {
    return mark.isPresent() && mark.getAsLong() == reset.mark();
  }

  boolean isEnded(ClaimId claim) {
    for (Ended e : ended) {
      if (e.claim().equals(claim)) {
        return true;
      }
    }
    return false;
  }

  boolean isReached(OptionalLong wanted) {
    return wanted.isPresent() && mark.isPresent() && wanted.getAsLong() <= mark.getAsLong();
  }
}
