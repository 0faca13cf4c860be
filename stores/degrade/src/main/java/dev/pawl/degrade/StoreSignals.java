package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;

/** Hears what the stores tell of claims, and passes on what counts in the mode of the pair. */
final class StoreSignals {

  private final PairState state;
  private final Granting granting;
  private final Losing losing;

  StoreSignals(PairState state, Granting granting, Losing losing) {
    this.state = state;
    this.granting = granting;
    this.losing = losing;
  }

  /** A store tells a node something. */
  void onSignal(boolean ofPrimary, String node, Signal signal) {
    state.run(after -> onSignal(ofPrimary, node, signal, after));
  }

  private void onSignal(boolean ofPrimary, String node, Signal signal, After after) {
    ModeRecord seen = state.record();
    if (seen == null) {
      return;
    }
    long names = PairState.names(seen, ofPrimary);
    if (signal instanceof Signal.Granted granted) {
      PairClaim claim = state.claims.find(granted.grant().claim());
      if (claim != null && isAt(claim, ofPrimary, names, granted.name())) {
        onGranted(claim, ofPrimary, granted.grant(), after);
      }
    } else if (signal instanceof Signal.Done done) {
      PairClaim claim = state.claims.find(done.claim());
      if (claim != null && isAt(claim, ofPrimary, names, done.name())) {
        state.claims.forget(claim);
        state.tell(claim, new Signal.Done(claim.name, claim.id, done.mark()), after);
      }
    } else if (signal instanceof Signal.Summoned summoned) {
      PairClaim claim = state.claims.find(summoned.claim());
      if (claim != null && isAt(claim, ofPrimary, names, summoned.name())) {
        state.tell(claim, new Signal.Summoned(claim.name, claim.id), after);
      }
    } else if (signal instanceof Signal.Evicted evicted) {
      PairClaim claim = state.claims.find(evicted.claim());
      if (claim != null && isAt(claim, ofPrimary, names, evicted.name())) {
        onGone(claim, ofPrimary, new Signal.Evicted(claim.name, claim.id), after);
      }
    } else if (signal instanceof Signal.Lost lost) {
      PairClaim claim = state.claims.find(lost.claim());
      if (claim != null && isAt(claim, ofPrimary, names, lost.name())) {
        onGone(
            claim,
            ofPrimary,
            new Signal.Lost(claim.name, claim.id, lost.reason(), lost.told()),
            after);
      } else {
        after.add(lost.told());
      }
    } else if (signal instanceof Signal.Changed changed) {
      StoredNames.read(names, changed.name())
          .ifPresent(name -> pass(node, new Signal.Changed(name), after));
    } else {
      pass(node, signal, after);
    }
  }

  private void pass(String node, Signal signal, After after) {
    var listener = state.listeners.get(node);
    if (listener != null) {
      after.add(() -> listener.accept(signal));
    }
  }

  private static boolean isAt(PairClaim claim, boolean ofPrimary, long names, String stored) {
    return names != 0
        && claim.part(ofPrimary).names == names
        && stored.equals(StoredNames.of(names, claim.name));
  }

  private void onGranted(PairClaim claim, boolean ofPrimary, Grant grant, After after) {
    Side side = state.side(ofPrimary);
    boolean waits = claim.state == State.WAITING || claim.state == State.ASKING;
    if (!waits || !side.isClockRead() || claim.part(ofPrimary).held) {
      return; // Its poll, or the answer that is under way, tells it too.
    }
    // I2: not from when the signal came, but from when the store said so.
    long now = state.now();
    long base = side.nanosAt(grant.nowMicros());
    long baseNanos = base - now < 0 ? base : now;
    claim.part(ofPrimary).onGrant(grant, baseNanos, now);
    granting.onGranted(claim, ofPrimary, baseNanos, GrantSink.bySignal(state, claim), after);
  }

  private void onGone(PairClaim claim, boolean ofPrimary, Signal signal, After after) {
    ModeRecord seen = state.record();
    claim.part(ofPrimary).held = false;
    boolean counts = seen != null && PairState.isPrimary(seen) == ofPrimary;
    if (!counts && claim.state == State.HELD && !state.belief.isTakenAway(claim)) {
      if (signal instanceof Signal.Lost lost) {
        after.add(lost.told());
      }
      return; // It is taken there again, or is not needed any more.
    }
    if (claim.state == State.HELD && signal instanceof Signal.Lost lost) {
      losing.lose(claim, lost.reason(), lost.told(), after);
      return;
    }
    state.claims.forget(claim);
    state.drop(claim, !ofPrimary, after);
    state.tell(claim, signal, after);
  }
}
