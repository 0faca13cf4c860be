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
 * @param span how many tokens it has, this one included
 * @param untilMicros when it ends, by the store's clock
 * @param nowMicros what the store's clock showed when it said so
 */
public record Grant(ClaimId claim, long token, int span, long untilMicros, long nowMicros) {}
