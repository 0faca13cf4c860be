package dev.pawl.spi;

/**
 * The store's yes to a claim.
 *
 * <p>A grant that lasts shorter than the lease that was asked for, from {@code nowMicros} to {@code
 * untilMicros}, is provisional: the node renews it at a third of that time, also where the user
 * wants no renewal, and counts on no more than it says until then. A store makes such a grant when
 * it chooses the next holder without knowing whether that one is still there.
 *
 * @param token the first token of the grant
 * @param span how many tokens it has, this one included; fewer than asked for where the store has
 *     no room for more
 * @param untilMicros when it ends, by the store's clock
 * @param nowMicros what the store's clock showed when it said so
 * @param trustMicros how long from then on the node may count on it without another answer: less
 *     than it lasts where a session stands behind it, which the store may end before. The node
 *     renews it at a third of that time
 */
public record Grant(
    ClaimId claim, long token, int span, long untilMicros, long nowMicros, long trustMicros) {

  /** A grant to be counted on for as long as it lasts. */
  public Grant(ClaimId claim, long token, int span, long untilMicros, long nowMicros) {
    this(claim, token, span, untilMicros, nowMicros, Long.MAX_VALUE);
  }
}
