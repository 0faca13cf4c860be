package dev.pawl.degrade;

import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Finds out where the tokens of a store are, by a claim of its own: those of the primary of a new
 * pair, and those of the store that a change of the mode goes to. Guarded by the lock of the pair.
 */
final class TokenProbe {

  private static final long PATIENCE_NANOS = 2_000_000_000L;

  private final PairState state;
  private long rawEpoch;
  private OptionalLong raw = OptionalLong.empty();
  private boolean probing;
  private long probeNanos;
  private long probes;

  TokenProbe(PairState state) {
    this.state = state;
  }

  /** Returns a token of the store that has the locks next, if one was found out in this epoch. */
  OptionalLong found(long epoch) {
    return rawEpoch == epoch ? raw : OptionalLong.empty();
  }

  /** Finds out where the tokens are of the store that has the locks next. */
  void probe(long now, After after) {
    ModeRecord record = state.record();
    boolean isNew = record != null && record.tokens().ceiling() == 0;
    if (record == null
        || (!isNew && record.mode() != Mode.LEAVING && record.mode() != Mode.RETURNING)
        || (rawEpoch == record.epoch() && raw.isPresent())
        || (probing && now - probeNanos < PATIENCE_NANOS)) {
      return;
    }
    probing = true;
    probeNanos = now;
    long of = record.epoch();
    Side next = state.side(record.mode() == Mode.RETURNING || record.mode() == Mode.PRIMARY);
    ClaimId claim = new ClaimId(state.node, ++probes);
    String name = StoredNames.fitting("pawl:pair-token:", state.node);
    Command.Acquire probe =
        new Command.Acquire(
            name,
            claim,
            Command.EVERYTHING,
            Command.EVERYTHING,
            1_000_000,
            1,
            OptionalLong.empty(),
            false,
            false,
            state.node,
            "");
    after.add(
        () -> {
          var unused =
              next.now(store -> store.acquire(probe))
                  .whenComplete((reply, error) -> onProbed(of, next, probe, reply));
        });
  }

  private void onProbed(long of, Side next, Command.Acquire probe, @Nullable AcquireReply reply) {
    state.run(after -> probing = false);
    if (reply instanceof AcquireReply.Granted granted) {
      long token = granted.grant().token();
      state.run(
          after -> {
            rawEpoch = of;
            raw = OptionalLong.of(token);
            ModeRecord seen = state.record();
            if (seen != null && seen.tokens().ceiling() == 0) {
              state.belief.want(token); // So that the first grants need not wait for it.
            }
          });
      var unused =
          next.now(
              store ->
                  store.release(
                      new Command.Release(
                          probe.name(), probe.claim(), token, OptionalLong.empty(), true)));
      state.nudge();
    }
  }
}
