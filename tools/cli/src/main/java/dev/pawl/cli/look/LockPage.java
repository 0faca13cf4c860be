package dev.pawl.cli.look;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Table;
import java.util.List;
import java.util.TreeMap;

/** All that is known of one name, on a page for people. */
final class LockPage {

  private final Screen screen;
  private final LockInfo lock;
  private final Now now;

  LockPage(Screen screen, LockInfo lock, Now now) {
    this.screen = screen;
    this.lock = lock;
    this.now = now;
  }

  void print(List<PastRun> runs, List<JournalEntry> journal) {
    line("name", Table.plain(lock.name()));
    line("state", LockWords.state(lock));
    line("token", lock.token() == 0 ? LockWords.NONE : Long.toString(LockWords.token(lock)));
    LockWords.tick(lock)
        .ifPresentOrElse(
            tick -> line("tick", tick + ", " + now.ago(tick)),
            () -> lock.mark().ifPresent(mark -> line("mark", Long.toString(mark))));
    section(holders());
    section(waiters());
    section(runs(runs));
    section(journal(journal));
  }

  private void line(String title, String value) {
    screen.print(screen.styled(Screen.Style.BOLD, "%-6s".formatted(title)) + " " + value);
  }

  private void section(Table table) {
    if (!table.isEmpty()) {
      screen.print("");
      table.print(screen);
    }
  }

  private Table holders() {
    Table table = new Table("HOLDER", "TOKEN", "SHARE", "SINCE", "LEASE LEFT", "THREAD", "CLAIM");
    for (LockInfo.Holder holder : lock.holders()) {
      table.row(
          holder.label(),
          Long.toString(holder.token()),
          LockWords.share(holder.exclusive(), holder.permits()),
          now.ago(holder.since()),
          Durations.format(holder.left()),
          LockWords.orNone(holder.actor()),
          holder.claim());
    }
    return table;
  }

  private Table waiters() {
    Table table = new Table("WAITING", "SHARE", "SINCE", "THREAD", "CLAIM");
    for (LockInfo.Waiter waiter : lock.waiters()) {
      table.row(
          waiter.label(),
          LockWords.share(waiter.exclusive(), waiter.permits()),
          now.ago(waiter.since()),
          LockWords.orNone(waiter.actor()),
          waiter.claim());
    }
    return table;
  }

  private Table runs(List<PastRun> runs) {
    Table table = new Table("RUN OF TICK", "OUTCOME", "BY", "STARTED", "TOOK", "TOKEN", "ERROR");
    for (PastRun run : runs) {
      table.row(
          run.tick().toString(),
          run.ending().toString(),
          run.node(),
          now.ago(run.start()),
          Durations.format(run.took()),
          Long.toString(run.token()),
          run.error().orElse(LockWords.NONE));
    }
    return table;
  }

  private Table journal(List<JournalEntry> journal) {
    Table table = new Table("JOURNAL", "TOKEN", "WHEN", "NODE", "DETAILS");
    for (JournalEntry entry : journal) {
      table.row(
          LockWords.kind(entry.kind()),
          Long.toString(entry.token()),
          now.ago(entry.at()),
          entry.node(),
          LockWords.details(new TreeMap<>(entry.details())));
    }
    return table;
  }
}
