package dev.pawl.engine.locks;

import java.util.List;
import java.util.stream.Stream;

/**
 * Immutable lists of few members, mostly of one: they are small, and may change while one reads.
 */
final class Few {

  private Few() {}

  static <T> List<T> with(List<T> list, T member) {
    return list.isEmpty()
        ? List.of(member)
        : Stream.concat(list.stream(), Stream.of(member)).toList();
  }

  static <T> List<T> without(List<T> list, T member) {
    if (!list.contains(member)) {
      return list;
    }
    return list.size() == 1
        ? List.of()
        : list.stream().filter(each -> !each.equals(member)).toList();
  }
}
