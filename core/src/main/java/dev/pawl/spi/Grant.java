package dev.pawl.spi;

/**
 * The store's yes to a claim.
 *
 * @param token the first token of the grant
 * @param span how many tokens it has, this one included
 * @param untilMicros when it ends, by the store's clock
 * @param nowMicros what the store's clock showed when it said so
 */
public record Grant(ClaimId claim, long token, int span, long untilMicros, long nowMicros) {}
