package dev.pawl.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Leaves out of a failing list whatever is not needed for it to fail. */
final class Shrinker {

  private Shrinker() {}

  /**
   * Returns a part of the list, in its order, that still fails and of which no single element can
   * be left out. Tries halves first, then quarters, and so on.
   */
  static <T> List<T> shrink(List<T> failing, Predicate<List<T>> fails) {
    List<T> shortest = List.copyOf(failing);
    int chunk = Math.max(1, shortest.size() / 2);
    while (true) {
      boolean shrunk = false;
      for (int from = 0; from < shortest.size(); ) {
        List<T> rest = without(shortest, from, Math.min(from + chunk, shortest.size()));
        if (fails.test(rest)) {
          shortest = rest;
          shrunk = true;
        } else {
          from += chunk;
        }
      }
      if (chunk > 1) {
        chunk /= 2;
      } else if (!shrunk) {
        return shortest;
      }
    }
  }

  private static <T> List<T> without(List<T> list, int from, int to) {
    List<T> rest = new ArrayList<>(list.subList(0, from));
    rest.addAll(list.subList(to, list.size()));
    return rest;
  }
}
