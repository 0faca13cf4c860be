package dev.pawl.engine.locks;

/**
 * What a node looks out for in the use of its leases.
 *
 * @param warnNanos how long a lease is held before there is a warning
 * @param traces whether each acquire remembers where it was called
 */
public record Vigilance(long warnNanos, boolean traces) {

  public static final Vigilance NONE = new Vigilance(Long.MAX_VALUE, false);
}
