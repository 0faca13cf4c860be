package dev.pawl.machine;

import dev.pawl.spi.Command;

/** The lock machine as the proofs see it, so that a broken one can be put in its place. */
interface Machine {

  /** The machine that is proved. */
  Machine REAL = Machine::real;

  /** Applies one command of any kind. */
  Step<?> apply(LockState state, Command command, long now);

  /** Tells whether a store may forget the state. */
  default boolean isForgettable(LockState state, long now) {
    return state.isForgettable(now);
  }

  private static Step<?> real(LockState state, Command command, long now) {
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
    } else if (command instanceof Command.Evict evict) {
      return LockMachine.evict(state, evict, now);
    } else if (command instanceof Command.Reset reset) {
      return LockMachine.reset(state, reset, now);
    }
    throw new IllegalArgumentException("no rule for " + command);
  }
}
