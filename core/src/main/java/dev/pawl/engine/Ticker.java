package dev.pawl.engine;

/** A monotonic clock in nanoseconds, of which only differences mean anything (I12). */
@FunctionalInterface
interface Ticker {

  long nanos();
}
