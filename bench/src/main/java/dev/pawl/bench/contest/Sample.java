package dev.pawl.bench.contest;

import java.util.Collection;
import java.util.List;

/**
 * Values of one quantity.
 *
 * @param sorted the values, the least first; there is one at least
 */
public record Sample(List<Double> sorted) {

  static Sample of(Collection<Double> values) {
    return new Sample(values.stream().sorted().toList());
  }

  /** Returns the value in the middle. */
  public double median() {
    return quantile(0.5);
  }

  /** Returns the value that so great a part of all does not exceed. */
  double quantile(double part) {
    int last = sorted.size() - 1;
    double place = part * last;
    int below = (int) place;
    double above = sorted.get(Math.min(below + 1, last));
    return sorted.get(below) + (place - below) * (above - sorted.get(below));
  }

  double least() {
    return sorted.get(0);
  }

  double most() {
    return sorted.get(sorted.size() - 1);
  }
}
