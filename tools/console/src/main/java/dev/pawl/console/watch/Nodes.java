package dev.pawl.console.watch;

import dev.pawl.JournalEntry;
import dev.pawl.PastRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes, by what they hold, wait for and have run: no node reports to a store that it lives.
 */
public final class Nodes {

  private Nodes() {}

  /**
   * A node, by its name for people.
   *
   * @param holds how many names it holds
   * @param waits how many it waits for
   * @param runs how many runs of jobs of it the journal has
   * @param failed how many of them did not end well
   * @param lost how many leases it has lost
   * @param first the earliest thing that is known of it
   * @param last the latest
   */
  public record NodeRow(
      String label,
      int holds,
      int waits,
      int runs,
      int failed,
      int lost,
      Instant first,
      Instant last) {

    /** Tells whether it holds something, or waits. */
    public boolean isThere() {
      return holds + waits > 0;
    }
  }

  /** Returns the nodes, those that are there first. */
  public static List<NodeRow> of(Locks locks, History history) {
    Map<String, Tally> tallies = new HashMap<>();
    for (LockRow row : locks.rows()) {
      row.holders()
          .forEach(each -> tally(tallies, each.label(), each.since(), locks.now()).holds++);
      row.waiters()
          .forEach(each -> tally(tallies, each.label(), each.since(), locks.now()).waits++);
    }
    for (PastRun run : history.runs()) {
      Tally tally = tally(tallies, run.node(), run.start(), run.start().plus(run.took()));
      tally.runs++;
      tally.failed += run.ending() == PastRun.Ending.RAN ? 0 : 1;
    }
    for (JournalEntry entry : history.journal()) {
      if (entry.kind() == JournalEntry.Kind.LEASE_LOST) {
        tally(tallies, entry.node(), entry.at(), entry.at()).lost++;
      }
    }
    List<NodeRow> nodes = new ArrayList<>();
    tallies.forEach((label, tally) -> nodes.add(tally.row(label)));
    nodes.sort(
        Comparator.comparing((NodeRow node) -> !node.isThere()).thenComparing(NodeRow::label));
    return nodes;
  }

  private static Tally tally(
      Map<String, Tally> tallies, String label, Instant from, Instant until) {
    Tally tally = tallies.computeIfAbsent(label, unknown -> new Tally(from, until));
    tally.first = from.isBefore(tally.first) ? from : tally.first;
    tally.last = until.isAfter(tally.last) ? until : tally.last;
    return tally;
  }

  private static final class Tally {
    private int holds;
    private int waits;
    private int runs;
    private int failed;
    private int lost;
    private Instant first;
    private Instant last;

    Tally(Instant first, Instant last) {
      this.first = first;
      this.last = last;
    }

    NodeRow row(String label) {
      return new NodeRow(label, holds, waits, runs, failed, lost, first, last);
    }
  }
}
