package dev.pawl.degrade;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The claims that a node has in the pair. Guarded by the lock of the pair. */
final class Claims {

  /** For longer than that nothing is parked or under way. */
  private static final long ENDED_NANOS = 30_000_000_000L;

  private final Map<ClaimId, PairClaim> known = new HashMap<>();

  /** Claims that their node has given up, of which a copy may still be under way here. */
  private final Map<ClaimId, Long> ended = new LinkedHashMap<>();

  @Nullable PairClaim find(ClaimId id) {
    return known.get(id);
  }

  /** Tells whether a claim is known, and not another one of its name by now. */
  boolean has(PairClaim claim) {
    return known.get(claim.id) == claim;
  }

  PairClaim of(Command.Acquire command) {
    PairClaim claim =
        known.computeIfAbsent(command.claim(), id -> new PairClaim(id, command.name()));
    if (claim.asked == null) {
      claim.permits = command.permits();
    }
    claim.asked = command;
    return claim;
  }

  /** The node has given a claim up: nothing is to be asked for by it any more. */
  void onEnded(ClaimId id, long now) {
    ended.put(id, now);
    ended.values().removeIf(since -> now - since > ENDED_NANOS);
  }

  boolean isEnded(ClaimId id) {
    return ended.containsKey(id);
  }

  void forget(PairClaim claim) {
    known.remove(claim.id, claim);
  }

  /** Returns them as they are: none is added or forgotten while one looks at them. */
  Collection<PairClaim> known() {
    return known.values();
  }

  /** Returns a copy, so that claims can be forgotten meanwhile. */
  List<PairClaim> all() {
    return List.copyOf(known.values());
  }

  int size() {
    return known.size();
  }
}
