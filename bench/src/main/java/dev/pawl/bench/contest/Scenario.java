package dev.pawl.bench.contest;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** A situation in which competitors are compared. */
public enum Scenario {
  /** One thread takes and frees the same name again and again. */
  ONE_THREAD("one-thread", "1 thread, same name", Metric.PAIRS),
  /** One thread takes and frees a name that was never used before. */
  NEW_NAMES("new-names", "1 thread, a new name each time", Metric.PAIRS),
  /** Many threads of one process, each with a name of its own. */
  OWN_NAMES("own-names", "16 threads of one process, own names", Metric.PAIRS),
  /** Many threads of one process want the same name. */
  ONE_NAME("one-name", "16 threads of one process, one name", Metric.PAIRS),
  /** Threads of several processes want the same name. */
  PROCESSES("processes", "4 processes × 4 threads, one name", Metric.PAIRS),
  /** One process waits for what another frees. */
  HAND_OVER("hand-over", "hand-over between two processes", Metric.HAND_OVER),
  /** One process waits for what another held when it was killed. */
  RECOVERY("recovery", "recovery after SIGKILL of the holder", Metric.RECOVERY),
  /** One process holds very many names. */
  HELD_LOCKS("held-locks", "10,000 locks held by one process", Metric.COMMANDS);

  /** Those in which nobody waits. */
  public static final Set<Scenario> UNCONTENDED =
      Set.copyOf(EnumSet.of(ONE_THREAD, NEW_NAMES, OWN_NAMES));

  /** Those in which somebody waits until another is done. */
  public static final Set<Scenario> CONTENDED =
      Set.copyOf(EnumSet.of(ONE_NAME, PROCESSES, HAND_OVER));

  private static final int THREADS = 16;
  private static final int THREADS_OF_SEVERAL_PROCESSES = 4;

  private final String id;
  private final String title;
  private final Metric metric;

  Scenario(String id, String title, Metric metric) {
    this.id = id;
    this.title = title;
    this.metric = metric;
  }

  /** Returns what it is called on the command line. */
  public String id() {
    return id;
  }

  /** Returns what it is called in a heading. */
  public String title() {
    return title;
  }

  /** Returns what is measured first of all. */
  public Metric metric() {
    return metric;
  }

  /** Tells whether pairs are counted. */
  boolean isThroughput() {
    return metric == Metric.PAIRS;
  }

  /** Returns how many threads a process has in it. */
  int threads() {
    return switch (this) {
      case OWN_NAMES, ONE_NAME -> THREADS;
      case PROCESSES -> THREADS_OF_SEVERAL_PROCESSES;
      default -> 1;
    };
  }

  /** Finds the one that is called so on the command line. */
  public static Scenario of(String id) {
    return Arrays.stream(values())
        .filter(scenario -> scenario.id.equals(id))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no scenario \"" + id + "\"; there are " + ids()));
  }

  private static String ids() {
    return Arrays.stream(values()).map(Scenario::id).collect(Collectors.joining(", "));
  }
}
