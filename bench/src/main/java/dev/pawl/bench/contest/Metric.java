package dev.pawl.bench.contest;

import java.util.Locale;

/** A quantity that is measured. */
public enum Metric {
  /** Names taken and freed. */
  PAIRS("pairs/s", "%,.0f"),
  /** What a pair takes of the processors, in the processes that take and free; not the server. */
  CLIENT_CPU("client CPU, µs a pair", "%,.1f"),
  /** How many times as many pairs the luckiest process had as the least lucky. */
  UNFAIRNESS("most ÷ fewest", "%.2f"),
  /** From the moment before a release to the return of the other's acquire. */
  HAND_OVER("µs", "%,.0f"),
  /** From the kill to the return of the other's acquire. */
  RECOVERY("s", "%.1f"),
  /** What the renewal of all that is held takes. */
  COMMANDS("commands a renewal period", "%,.0f"),
  /** Heap of the client, without the names. */
  HEAP("bytes of heap a lock", "%,.0f"),
  /** Threads that are there because something is held. */
  THREADS("more threads", "%.0f");

  private final String unit;
  private final String format;

  Metric(String unit, String format) {
    this.unit = unit;
    this.format = format;
  }

  /** Returns the unit. */
  public String unit() {
    return unit;
  }

  /** Returns a value as a table shows it. */
  public String show(double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
