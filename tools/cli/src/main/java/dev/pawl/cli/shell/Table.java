package dev.pawl.cli.shell;

import java.util.ArrayList;
import java.util.List;

/** Rows for people, in columns as wide as they need. */
public final class Table {

  private static final String GAP = "  ";

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
    int[] widths = new int[titles.size()];
    measure(titles, widths);
    rows.forEach(row -> measure(row, widths));
    List<String> lines = new ArrayList<>();
    lines.add(screen.styled(Screen.Style.BOLD, line(titles, widths)));
    rows.forEach(row -> lines.add(line(row, widths)));
    return lines;
  }

  /** Prints it. */
  public void print(Screen screen) {
    lines(screen).forEach(screen::print);
  }

  /** Returns the text without anything that a terminal would obey. */
  public static String plain(String text) {
    return text.codePoints()
        .map(code -> Character.isISOControl(code) ? '?' : code)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static void measure(List<String> row, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], row.get(i).codePointCount(0, row.get(i).length()));
    }
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = row.get(i);
      line.append(cell);
      if (i < widths.length - 1) {
        line.append(" ".repeat(widths[i] - cell.codePointCount(0, cell.length()))).append(GAP);
      }
    }
    return line.toString().stripTrailing();
  }
}
