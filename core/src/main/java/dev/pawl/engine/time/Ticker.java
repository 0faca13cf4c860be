package dev.pawl.engine.time;

/** A monotonic clock in nanoseconds, of which only differences mean anything (I12). */
@FunctionalInterface
public interface Ticker {

  long nanos();
}
