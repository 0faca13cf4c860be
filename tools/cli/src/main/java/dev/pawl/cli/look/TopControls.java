package dev.pawl.cli.look;

import dev.pawl.LockInfo;
import java.util.List;
import java.util.Locale;

/**
 * What the person has chosen to see in {@code pawl top}, by keys.
 *
 * @param order the order of the locks
 * @param filter what names or labels contain, as far as it is typed
 * @param typing whether keys are part of the filter
 * @param first how many locks are scrolled past
 */
record TopControls(LockOrder order, String filter, boolean typing, int first) {

  static final TopControls START = new TopControls(LockOrder.NAME, "", false, 0);

  private static final int BACKSPACE = 8;
  private static final int DELETE = 127;

  /** Tells whether the key ends it all. */
  boolean isEnd(int key) {
    return !typing && (key == 'q' || key == 'Q');
  }

  /**
   * Returns what is to be seen after a key.
   *
   * @param page how many locks are on a page
   * @param count how many there are
   */
  TopControls press(int key, int page, int count) {
    if (typing) {
      return type(key);
    }
    return switch (key) {
      case 's', 'S' -> new TopControls(order.next(), filter, false, 0);
      case '/' -> new TopControls(order, "", true, 0);
      case Terminal.ESCAPE -> new TopControls(order, "", false, 0);
      case Terminal.UP, 'k' -> scroll(first - 1, page, count);
      case Terminal.DOWN, 'j' -> scroll(first + 1, page, count);
      case Terminal.PAGE_UP, 'b' -> scroll(first - page, page, count);
      case Terminal.PAGE_DOWN, ' ' -> scroll(first + page, page, count);
      case Terminal.HOME, 'g' -> scroll(0, page, count);
      case Terminal.END, 'G' -> scroll(count, page, count);
      default -> this;
    };
  }

  private TopControls type(int key) {
    return switch (key) {
      case '\n', '\r' -> new TopControls(order, filter, false, 0);
      case Terminal.ESCAPE -> new TopControls(order, "", false, 0);
      case BACKSPACE, DELETE ->
          new TopControls(
              order, filter.isEmpty() ? "" : filter.substring(0, filter.length() - 1), true, 0);
      default ->
          key < ' ' || key > Character.MAX_VALUE
              ? this
              : new TopControls(order, filter + (char) key, true, 0);
    };
  }

  private TopControls scroll(int to, int page, int count) {
    return new TopControls(order, filter, typing, Math.max(0, Math.min(to, count - page)));
  }

  /** Returns the locks that pass the filter, in the order that was chosen. */
  List<LockInfo> choose(List<LockInfo> locks) {
    return locks.stream().filter(this::admits).sorted(order.comparator()).toList();
  }

  private boolean admits(LockInfo lock) {
    return contains(lock.name())
        || lock.holders().stream().anyMatch(holder -> contains(holder.label()))
        || lock.waiters().stream().anyMatch(waiter -> contains(waiter.label()));
  }

  private boolean contains(String text) {
    return text.toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT));
  }

  /** Returns what the keys do, and what was chosen. */
  String hint() {
    String chosen = "sort: " + order + (filter.isEmpty() ? "" : "  filter: " + filter);
    return typing
        ? "filter: " + filter + "_  (Enter keeps it, Esc clears it)"
        : chosen + "  (s sorts, / filters, arrows scroll, q ends)";
  }
}
