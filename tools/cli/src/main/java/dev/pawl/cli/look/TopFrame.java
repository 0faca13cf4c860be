package dev.pawl.cli.look;

import dev.pawl.LockInfo;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Table;
import dev.pawl.cli.shell.TextWidth;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The lines of one refresh of {@code pawl top}, as many and as wide as the window has room for. */
final class TopFrame {

  /** Where there is too little room: shortened in the middle, and left out, the first first. */
  private static final Map<String, Integer> SHORTENED =
      Map.of("NAME", 28, "HOLDER", 14, "NEXT", 14);

  private static final List<String> LEFT_OUT = List.of("NEXT", "FOR", "HOLDER");

  private static final Map<String, Integer> JOBS_SHORTENED =
      Map.of("JOB", 20, "BY", 14, "RUNS NOW", 14);

  private static final List<String> JOBS_LEFT_OUT =
      List.of("BY", "TOOK", "STANDBYS", "STARTED", "LAST TICK", "RUNS NOW");

  private final Screen screen;
  private final TopSnapshot snapshot;
  private final LeaseBars bars;
  private final TopControls controls;
  private final List<LockInfo> chosen;

  TopFrame(Screen screen, TopSnapshot snapshot, LeaseBars bars, TopControls controls) {
    this.screen = screen;
    this.snapshot = snapshot;
    this.bars = bars;
    this.controls = controls;
    this.chosen = controls.choose(snapshot.locks());
  }

  /** Returns how many locks pass the filter. */
  int count() {
    return chosen.size();
  }

  /** Returns how many locks there is room for. */
  int page(Terminal.Size size) {
    return Math.max(1, room(size) - jobs(size).size() - 2);
  }

  /**
   * Returns the lines.
   *
   * @param hint what the person can do, below the title
   * @param trouble why they are not up to date; empty if they are
   */
  List<String> lines(Terminal.Size size, String hint, String trouble) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(Screen.Style.BOLD, title(size)));
    lines.add(
        !trouble.isEmpty()
            ? new Line(Screen.Style.RED, trouble)
            : snapshot.mode().isEmpty()
                ? new Line(Screen.Style.FAINT, hint)
                : new Line(Screen.Style.YELLOW, "mode: " + Table.plain(snapshot.mode())));
    List<Line> jobs = jobs(size);
    lines.addAll(locks(size, Math.max(2, room(size) - jobs.size())));
    lines.addAll(jobs);
    return lines.stream().limit(size.rows()).map(line -> line.shown(screen, size)).toList();
  }

  private static int room(Terminal.Size size) {
    return Math.max(0, size.rows() - 2);
  }

  /** The figures first: where there is too little room, the store is shortened. */
  private String title(Terminal.Size size) {
    String figures =
        "%d held, %d waiting, %d jobs running  %s  "
            .formatted(
                snapshot.held(),
                snapshot.waiting(),
                snapshot.running(),
                snapshot.now().time().truncatedTo(ChronoUnit.SECONDS));
    int left = size.columns() - TextWidth.of(figures);
    return figures + TextWidth.middle(Table.plain(snapshot.store()), Math.max(0, left));
  }

  private List<Line> locks(Terminal.Size size, int room) {
    if (chosen.isEmpty()) {
      return List.of(
          Line.plain(
              snapshot.locks().isEmpty()
                  ? "nobody holds a lock"
                  : "none of " + snapshot.locks().size() + " locks passes the filter"));
    }
    Table table = new Table("NAME", "HOLDER", "FOR", "WAITING", "LEASE LEFT", "NEXT");
    int first = Math.min(controls.first(), chosen.size() - 1);
    for (LockInfo lock : chosen.subList(first, chosen.size())) {
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
    return fit(table.fittedLines(size.columns(), SHORTENED, LEFT_OUT), room);
  }

  private List<Line> jobs(Terminal.Size size) {
    if (snapshot.jobs().isEmpty()) {
      return List.of();
    }
    Table table = JobsCommand.table(snapshot.jobs(), snapshot.now());
    List<Line> lines = new ArrayList<>();
    lines.add(Line.plain(""));
    lines.addAll(
        fit(
            table.fittedLines(size.columns(), JOBS_SHORTENED, JOBS_LEFT_OUT),
            Math.max(Math.max(3, room(size) / 3), spare(size)) - 1));
    return lines;
  }

  /** How many lines the locks leave, all of which are shown. */
  private int spare(Terminal.Size size) {
    return room(size) - 1 - chosen.size();
  }

  /** Returns the titles and as many rows as there is room for; how many are left out, if any. */
  private static List<Line> fit(List<String> all, int room) {
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
