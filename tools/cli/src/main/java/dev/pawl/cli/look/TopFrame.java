package dev.pawl.cli.look;

import dev.pawl.LockInfo;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Table;
import dev.pawl.cli.shell.TextWidth;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** The lines of one refresh of {@code pawl top}, as many and as wide as the window has room for. */
final class TopFrame {

  private final Screen screen;
  private final TopSnapshot snapshot;
  private final LeaseBars bars;

  TopFrame(Screen screen, TopSnapshot snapshot, LeaseBars bars) {
    this.screen = screen;
    this.snapshot = snapshot;
    this.bars = bars;
  }

  /**
   * Returns the lines.
   *
   * @param hint what the person can do, after the title
   * @param trouble why they are not up to date; empty if they are
   */
  List<String> lines(Terminal.Size size, String hint, String trouble) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(Screen.Style.BOLD, title() + hint));
    lines.add(trouble.isEmpty() ? Line.plain("") : new Line(Screen.Style.RED, trouble));
    int room = Math.max(0, size.rows() - lines.size());
    List<Line> jobs = jobs(Math.max(3, room / 3));
    List<Line> locks = locks(Math.max(2, room - jobs.size()));
    lines.addAll(locks);
    lines.addAll(jobs);
    return lines.stream().limit(size.rows()).map(line -> line.shown(screen, size)).toList();
  }

  private String title() {
    return "%s  %d held, %d waiting, %d jobs running  %s"
        .formatted(
            Table.plain(snapshot.store()),
            snapshot.held(),
            snapshot.waiting(),
            snapshot.running(),
            snapshot.now().time().truncatedTo(ChronoUnit.SECONDS));
  }

  private List<Line> locks(int room) {
    if (snapshot.locks().isEmpty()) {
      return List.of(Line.plain("nobody holds a lock"));
    }
    Table table = new Table("NAME", "HOLDER", "FOR", "WAITING", "LEASE LEFT", "NEXT");
    for (LockInfo lock : snapshot.locks()) {
      boolean held = !lock.holders().isEmpty();
      table.row(
          lock.name(),
          LockWords.holder(lock),
          held
              ? Durations.format(snapshot.now().since(lock.holders().get(0).since()))
              : LockWords.NONE,
          lock.waiters().isEmpty() ? LockWords.NONE : Integer.toString(lock.waiters().size()),
          held ? bars.bar(lock.holders().get(0)) : LockWords.NONE,
          lock.waiters().isEmpty() ? LockWords.NONE : lock.waiters().get(0).label());
    }
    return fit(table, room);
  }

  private List<Line> jobs(int room) {
    if (snapshot.jobs().isEmpty()) {
      return List.of();
    }
    List<Line> lines = new ArrayList<>();
    lines.add(Line.plain(""));
    lines.addAll(fit(JobsCommand.table(snapshot.jobs(), snapshot.now()), room - 1));
    return lines;
  }

  /** Returns the titles and as many rows as there is room for; how many are left out, if any. */
  private static List<Line> fit(Table table, int room) {
    List<String> all = table.plainLines();
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(Screen.Style.BOLD, all.get(0)));
    boolean whole = all.size() <= room;
    int last = whole ? all.size() : Math.max(1, room - 1);
    all.subList(1, last).forEach(line -> lines.add(Line.plain(line)));
    if (!whole) {
      lines.add(new Line(Screen.Style.FAINT, "… and " + (all.size() - last) + " more"));
    }
    return lines;
  }

  /** A line before it is cut, as a style cannot be cut. */
  private record Line(Screen.Style style, String text) {

    static Line plain(String text) {
      return new Line(Screen.Style.NONE, text);
    }

    String shown(Screen screen, Terminal.Size size) {
      return screen.styled(style, TextWidth.cut(text, size.columns()));
    }
  }
}
