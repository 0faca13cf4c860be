package dev.pawl.bench.contest;

import java.util.Locale;
import java.util.Optional;

/**
 * What a competitor is to reach: a number, or a multiple of what another reaches in the same run.
 *
 * @param yardstick the other's id; empty if the bound is a number by itself
 * @param atLeast whether the bound is the least; else it is the most
 */
public record Aim(
    Scenario scenario,
    Metric metric,
    String entrant,
    boolean atLeast,
    double bound,
    String yardstick) {

  /** It is to have at least so many times what the other has. */
  public static Aim atLeast(double times, String yardstick, Scenario scenario, String entrant) {
    return new Aim(scenario, scenario.metric(), entrant, true, times, yardstick);
  }

  /** It is to need at most so many times what the other needs. */
  public static Aim atMost(double times, String yardstick, Scenario scenario, String entrant) {
    return new Aim(scenario, scenario.metric(), entrant, false, times, yardstick);
  }

  /** It is to have at least so many. */
  public static Aim atLeast(double bound, Metric metric, Scenario scenario, String entrant) {
    return new Aim(scenario, metric, entrant, true, bound, "");
  }

  /** It is to need at most so many. */
  public static Aim atMost(double bound, Metric metric, Scenario scenario, String entrant) {
    return new Aim(scenario, metric, entrant, false, bound, "");
  }

  /** Compares it with what was measured; empty if that was not measured. */
  public Optional<Verdict> judge(Results results) {
    Optional<Sample> own = results.find(scenario, entrant, metric);
    if (yardstick.isEmpty()) {
      return own.map(sample -> verdict(sample.median(), metric.show(sample.median())));
    }
    return own.flatMap(
        sample ->
            results
                .find(scenario, yardstick, metric)
                .map(
                    other -> {
                      double times = sample.median() / other.median();
                      String numbers =
                          "%s (%s against %s)"
                              .formatted(
                                  times(times),
                                  metric.show(sample.median()),
                                  metric.show(other.median()));
                      return verdict(times, numbers);
                    }));
  }

  private Verdict verdict(double value, String numbers) {
    return new Verdict(atLeast ? value >= bound : value <= bound, numbers);
  }

  /** Returns it in words. */
  String describe(Suite suite) {
    String most = atLeast ? "at least " : "at most ";
    return yardstick.isEmpty()
        ? most + metric.show(bound) + " " + metric.unit()
        : most + times(bound) + " " + suite.entrant(yardstick).label();
  }

  static String times(double ratio) {
    return String.format(Locale.ROOT, ratio < 0.1 ? "%.3f ×" : "%.2f ×", ratio);
  }

  /**
   * Whether an aim is reached.
   *
   * @param numbers what was measured
   */
  public record Verdict(boolean met, String numbers) {}
}
