package dev.pawl.machine;

import dev.pawl.machine.LockState.Ended;
import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.machine.Violation.Rule;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/** Machines with one mistake each, that the proofs must find: who guards the guards. */
enum BrokenMachine implements Machine {

  /** Grants as if nobody held the name. */
  DOUBLE_GRANT(Rule.I1_EXCLUSION) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      if (!(command instanceof Command.Acquire acquire) || holds(state, acquire.claim())) {
        return REAL.apply(state, command, now);
      }
      LockState nobody =
          new LockState(
              state.lastToken(),
              state.mark(),
              state.markUntilMicros(),
              List.of(),
              state.queue(),
              state.ended());
      Step<?> step = REAL.apply(nobody, command, now);
      List<Holder> all = new ArrayList<>(state.holders());
      all.removeIf(h -> h.untilMicros() <= now);
      all.addAll(step.state().holders());
      return with(step, withHolders(step.state(), all));
    }
  },

  /**
   * Counts tokens from the last one that was given back or expired, not from the last given out.
   */
  TOKEN_REUSE(Rule.I3_TOKENS) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      boolean free = step.state().holders().isEmpty();
      return free ? with(step, withLastToken(step.state(), step.state().lastToken() - 1)) : step;
    }
  },

  /** Counts tokens up from one, whatever the clock says. */
  TOKENS_WITHOUT_CLOCK(Rule.I3_TOKENS) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      if (step.state().holders().size() != 1 || step.state().lastToken() == state.lastToken()) {
        return step;
      }
      Holder h = step.state().holders().get(0);
      long token = state.lastToken() + 1;
      Holder low =
          new Holder(
              h.claim(),
              h.permits(),
              token,
              h.span(),
              h.sinceMicros(),
              h.untilMicros(),
              h.label(),
              h.actor());
      LockState lower = withHolders(step.state(), List.of(low));
      return with(step, withLastToken(lower, low.lastToken()));
    }
  },

  /** Loses the last waiter when somebody cancels. */
  FORGETS_A_WAITER(Rule.LOST_WAITER) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      List<Waiter> queue = step.state().queue();
      return command instanceof Command.Cancel && !queue.isEmpty()
          ? with(step, withQueue(step.state(), queue.subList(0, queue.size() - 1)))
          : step;
    }
  },

  /** Lets anybody release: whoever holds the name loses it. */
  RELEASE_BY_A_STRANGER(Rule.I4_OWNER) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      return step.reply() == ReleaseReply.GONE && !step.state().holders().isEmpty()
          ? with(step, withHolders(step.state(), List.of()))
          : step;
    }
  },

  /** Gives a claim that holds the name, and asks again, another grant. */
  ACQUIRE_TWICE(Rule.I4_OWNER) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      if (!(command instanceof Command.Acquire acquire)) {
        return REAL.apply(state, command, now);
      }
      List<Holder> others = new ArrayList<>(state.holders());
      others.removeIf(h -> h.claim().equals(acquire.claim()));
      return REAL.apply(withHolders(state, others), command, now);
    }
  },

  /** Leaves it to the waiters to find out that the name is free. */
  LOST_WAKE_UP(Rule.I8_NOBODY_STUCK) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      if (!(command instanceof Command.Release)) {
        return REAL.apply(state, command, now);
      }
      Step<?> step = REAL.apply(withQueue(state, List.of()), command, now);
      List<Waiter> alive = new ArrayList<>(state.queue());
      alive.removeIf(w -> w.aliveUntilMicros() <= now);
      return with(step, withQueue(step.state(), alive));
    }
  },

  /** Hands over to the one who came last. */
  LAST_IN_FIRST_OUT(Rule.I7_ORDER) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      if (!(command instanceof Command.Release)) {
        return REAL.apply(state, command, now);
      }
      Step<?> step = REAL.apply(withQueue(state, reversed(state.queue())), command, now);
      return with(step, withQueue(step.state(), reversed(step.state().queue())));
    }
  },

  /** Does not remember that a claim is over. */
  FORGETS_THE_END(Rule.I5_ENDED) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      return with(step, withEnded(step.state(), List.of()));
    }
  },

  /** Lets the dead hold on. */
  EXPIRY_NEVER(Rule.SHAPE) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      return REAL.apply(state, command, Math.min(now, 1_000_000_000));
    }
  },

  /** Takes a late renewal at its word, and cuts a longer lease short. */
  RENEWAL_SHORTENS(Rule.I4_OWNER) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      if (!(command instanceof Command.Renew renew) || !holds(state, renew.claim())) {
        return step;
      }
      List<Holder> cut = new ArrayList<>(step.state().holders());
      cut.replaceAll(
          h ->
              h.claim().equals(renew.claim())
                  ? new Holder(
                      h.claim(),
                      h.permits(),
                      h.token(),
                      h.span(),
                      h.sinceMicros(),
                      now + renew.leaseMicros(),
                      h.label(),
                      h.actor())
                  : h);
      return with(step, withHolders(step.state(), cut));
    }
  },

  /** Evicts whoever holds the name, whichever token the person saw. */
  EVICT_WITHOUT_TOKEN(Rule.I4_OWNER) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      boolean any = command instanceof Command.Evict && !state.holders().isEmpty();
      Command evict = any ? new Command.Evict("n", state.holders().get(0).token()) : command;
      return REAL.apply(state, evict, now);
    }
  },

  /** Resets whichever mark there is, not the one that the person saw. */
  RESET_BY_ANYBODY(Rule.MARK) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      boolean any = command instanceof Command.Reset && state.mark().isPresent();
      Command reset =
          any ? new Command.Reset("n", state.mark().getAsLong(), OptionalLong.empty()) : command;
      return REAL.apply(state, reset, now);
    }
  },

  /** Keeps a mark for no longer than the usual time. */
  KEEPS_MARKS_BRIEFLY(Rule.MARK) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      LockState s = step.state();
      long most = now + Command.MIN_KEEP_MICROS;
      return s.markUntilMicros() <= most
          ? step
          : with(
              step,
              new LockState(s.lastToken(), s.mark(), most, s.holders(), s.queue(), s.ended()));
    }
  },

  /** Lets a mark fall. */
  MARK_FALLS(Rule.MARK) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      boolean lower =
          command instanceof Command.Release release
              && release.mark().isPresent()
              && step.reply() == ReleaseReply.RELEASED;
      return lower ? with(step, withMark(step.state(), ((Command.Release) command).mark())) : step;
    }
  },

  /** Grants, and does not say so. */
  SILENT_GRANT(Rule.SIGNAL) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      return new Step<>(step.state(), step.reply(), List.of());
    }
  },

  /** Believes that whoever is granted is alive. */
  NO_CLAIM_WINDOW(Rule.I6_WINDOW) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      Step<?> step = REAL.apply(state, command, now);
      List<Holder> longer = new ArrayList<>(step.state().holders());
      longer.replaceAll(
          h ->
              h.untilMicros() - now == LockMachine.CLAIM_WINDOW_MICROS && h.sinceMicros() == now
                  ? h.renewed(h.permits(), now + 10_000_000, h.actor())
                  : h);
      return with(step, withHolders(step.state(), longer));
    }
  },

  /** Forgets a name as soon as nobody is there, though its tokens ran ahead of the clock. */
  FORGETS_TOO_EARLY(Rule.FORGETTING) {
    @Override
    public Step<?> apply(LockState state, Command command, long now) {
      return REAL.apply(state, command, now);
    }

    @Override
    public boolean isForgettable(LockState state, long now) {
      return withLastToken(state, 0).isForgettable(now);
    }
  };

  private final Rule breaks;

  BrokenMachine(Rule breaks) {
    this.breaks = breaks;
  }

  /** Returns the rule that it must be caught by, whichever others it breaks. */
  Rule breaks() {
    return breaks;
  }

  private static boolean holds(LockState state, ClaimId claim) {
    return state.holders().stream().anyMatch(h -> h.claim().equals(claim));
  }

  private static Step<?> with(Step<?> step, LockState state) {
    return new Step<>(state, step.reply(), step.signals());
  }

  private static LockState withHolders(LockState s, List<Holder> holders) {
    return new LockState(
        s.lastToken(), s.mark(), s.markUntilMicros(), holders, s.queue(), s.ended());
  }

  private static LockState withQueue(LockState s, List<Waiter> queue) {
    return new LockState(
        s.lastToken(), s.mark(), s.markUntilMicros(), s.holders(), queue, s.ended());
  }

  private static LockState withEnded(LockState s, List<Ended> ended) {
    return new LockState(
        s.lastToken(), s.mark(), s.markUntilMicros(), s.holders(), s.queue(), ended);
  }

  private static LockState withLastToken(LockState s, long lastToken) {
    return new LockState(
        lastToken, s.mark(), s.markUntilMicros(), s.holders(), s.queue(), s.ended());
  }

  private static LockState withMark(LockState s, OptionalLong mark) {
    return new LockState(
        s.lastToken(), mark, s.markUntilMicros(), s.holders(), s.queue(), s.ended());
  }

  private static List<Waiter> reversed(List<Waiter> queue) {
    List<Waiter> reversed = new ArrayList<>(queue);
    Collections.reverse(reversed);
    return reversed;
  }
}
