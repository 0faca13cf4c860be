package dev.pawl.spi;

/**
 * Why a claim is not granted now, for the person who is told and for the timer that asks again.
 *
 * @param holder the label of a holder; empty if nobody holds the name
 * @param sinceMicros when that holder was granted it
 * @param untilMicros when the first of the holders' leases ends
 * @param holders how many hold it
 * @param ahead how many wait ahead of the claim
 * @param nowMicros what the store's clock showed
 */
public record Contention(
    String holder, long sinceMicros, long untilMicros, int holders, int ahead, long nowMicros) {}
