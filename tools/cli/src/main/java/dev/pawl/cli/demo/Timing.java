package dev.pawl.cli.demo;

import java.time.Duration;
import java.util.List;

/** How much of the demo has passed, and about how much is to come. */
final class Timing {

  private static final int START_SECONDS = 5;

  private final List<Act> acts;
  private final long start = System.nanoTime();
  private int secondsBefore;
  private int secondsOfThis = START_SECONDS;
  private long startOfThis = start;

  /** Begins with the story that has these acts. */
  Timing(List<Act> acts) {
    this.acts = acts;
  }

  /** Begins an act. */
  void begin(Act act) {
    secondsBefore =
        START_SECONDS
            + acts.stream()
                .filter(each -> each.compareTo(act) < 0)
                .mapToInt(Act::plannedSeconds)
                .sum();
    secondsOfThis = act.plannedSeconds();
    startOfThis = System.nanoTime();
  }

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Returns the part that has passed, 0 to 1: an act that takes longer than planned waits. */
  double part() {
    double inThis = (System.nanoTime() - startOfThis) / 1e9;
    return (secondsBefore + Math.min(inThis, secondsOfThis)) / total();
  }

  /** Returns about how long it will still take. */
  Duration left() {
    return Duration.ofSeconds(Math.round((1 - part()) * total()));
  }

  private double total() {
    return START_SECONDS + acts.stream().mapToInt(Act::plannedSeconds).sum();
  }
}
