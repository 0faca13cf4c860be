package dev.pawl.spi;

import dev.pawl.PawlException;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** The clock of a store that can only be read by way of a claim, whose answer shows it. */
final class StoreClock {

  /** A name for nothing else; that it is held by another who reads the clock does not matter. */
  private static final String NAME = "pawl:clock";

  private static final long LEASE_MICROS = 1_000_000;

  private StoreClock() {}

  static CompletionStage<Long> read(LockStore store) {
    ClaimId claim = new ClaimId("clock-" + UUID.randomUUID(), 1);
    Command.Acquire acquire =
        new Command.Acquire(
            NAME,
            claim,
            Command.EVERYTHING,
            Command.EVERYTHING,
            LEASE_MICROS,
            1,
            OptionalLong.empty(),
            false,
            false,
            "clock",
            "");
    return store
        .acquire(acquire)
        .thenApply(
            reply -> {
              if (reply instanceof AcquireReply.Granted granted) {
                Grant grant = granted.grant();
                var unused =
                    store.release(
                        new Command.Release(
                            NAME, claim, grant.token(), OptionalLong.empty(), false));
                return grant.nowMicros();
              }
              if (reply instanceof AcquireReply.Busy busy) {
                return busy.contention().nowMicros();
              }
              throw new PawlException("the store answered " + reply + " to " + claim, null);
            });
  }
}
