package dev.pawl.cli.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Rows for people, in columns as wide as they need. */
public final class Table {

  /** What is left of a shortened column where there is no room for more. */
  private static final int LEAST = 8;

  private static final String GAP = "  ";

  private static final int ZERO_WIDTH_JOINER = 0x200d;

  private final List<String> titles;
  private final List<List<String>> rows = new ArrayList<>();

  /** Makes one with the titles of its columns. */
  public Table(String... titles) {
    this.titles = List.of(titles);
  }

  /** Adds a row; control characters are shown as {@code ?}, so that no name moves the cursor. */
  public Table row(String... cells) {
    if (cells.length != titles.size()) {
      throw new IllegalArgumentException(cells.length + " cells in " + titles);
    }
    List<String> row = new ArrayList<>();
    for (String cell : cells) {
      row.add(plain(cell));
    }
    rows.add(row);
    return this;
  }

  /** Tells whether there is no row. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Returns the title line and the rows. */
  public List<String> lines(Screen screen) {
    List<String> lines = plainLines();
    lines.set(0, screen.styled(Screen.Style.BOLD, lines.get(0)));
    return lines;
  }

  /** Returns the title line and the rows, without any style. */
  public List<String> plainLines() {
    int[] widths = new int[titles.size()];
    measure(titles, widths);
    rows.forEach(row -> measure(row, widths));
    List<String> lines = new ArrayList<>();
    lines.add(line(titles, widths));
    rows.forEach(row -> lines.add(line(row, widths)));
    return lines;
  }

  /**
   * Returns the title line and the rows in {@code width} columns at most, without any style.
   *
   * @param shortened the titles of columns that may be shortened in the middle, and to what at
   *     least
   * @param leftOut the titles of columns that are left out if that is not enough, the first first
   */
  public List<String> fittedLines(int width, Map<String, Integer> shortened, List<String> leftOut) {
    int[] widths = new int[titles.size()];
    measure(titles, widths);
    rows.forEach(row -> measure(row, widths));
    int[] least = widths.clone();
    shortened.forEach(
        (title, to) -> {
          int column = titles.indexOf(title);
          least[column] = Math.min(widths[column], to);
        });
    for (String title : leftOut) {
      if (sum(least) > width) {
        widths[titles.indexOf(title)] = 0;
        least[titles.indexOf(title)] = 0;
      }
    }
    while (sum(widths) > width && shortenWidest(widths, least)) {}
    // A window that is narrower still: better a few letters than a column that is cut off.
    shortened
        .keySet()
        .forEach(
            title -> {
              int column = titles.indexOf(title);
              least[column] = Math.min(widths[column], LEAST);
            });
    while (sum(widths) > width && shortenWidest(widths, least)) {}
    List<String> lines = new ArrayList<>();
    lines.add(line(titles, widths));
    rows.forEach(row -> lines.add(line(row, widths)));
    return lines;
  }

  /** Takes one off the widest column that may be shorter. */
  private static boolean shortenWidest(int[] widths, int[] least) {
    int widest = -1;
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    if (widest >= 0) {
      widths[widest]--;
    }
    return widest >= 0;
  }

  /** Returns the columns of a line; a column of no width is not in it. */
  private static int sum(int[] widths) {
    int sum = -GAP.length();
    for (int width : widths) {
      sum += width == 0 ? 0 : width + GAP.length();
    }
    return sum;
  }

  /** Prints it. */
  public void print(Screen screen) {
    lines(screen).forEach(screen::print);
  }

  /** Returns the text without anything that a terminal would obey. */
  public static String plain(String text) {
    return text.codePoints()
        .map(code -> isObeyed(code) ? '?' : code)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isObeyed(int code) {
    return switch (Character.getType(code)) {
      case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
      // Among them are those that turn the direction of what follows; joined emoji may stay.
      case Character.FORMAT -> code != ZERO_WIDTH_JOINER;
      default -> false;
    };
  }

  private static void measure(List<String> row, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], TextWidth.of(row.get(i)));
    }
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] > 0) {
        String cell = TextWidth.middle(row.get(i), widths[i]);
        line.append(TextWidth.pad(cell, widths[i])).append(GAP);
      }
    }
    return line.toString().stripTrailing();
  }
}
