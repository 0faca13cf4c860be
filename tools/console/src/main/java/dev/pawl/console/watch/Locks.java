package dev.pawl.console.watch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The names that are held or waited for, as the store had them at one moment of its clock. */
public final class Locks {

  /** How many orders of one moment are kept: pages that look alike share one. */
  private static final int MOST_KEPT = 64;

  private final Instant now;
  private final List<LockRow> rows;
  private final boolean more;
  private final Map<String, LockRow> byName;
  private final Map<Query, List<LockRow>> kept = new ConcurrentHashMap<>();

  Locks(Instant now, List<LockRow> rows, boolean more) {
    this.now = now;
    this.rows = List.copyOf(rows);
    this.more = more;
    this.byName = rows.stream().collect(Collectors.toMap(LockRow::name, row -> row));
  }

  /** What the rows are sorted by. */
  public enum Sort {
    NAME,
    HOLDER,
    SINCE,
    LEFT,
    TOKEN,
    WAITERS;

    private Comparator<LockRow> order() {
      return switch (this) {
        case NAME -> Comparator.comparing(LockRow::name);
        case HOLDER -> Comparator.comparing(row -> first(row, LockRow.Held::label, ""));
        case SINCE -> Comparator.comparing(row -> first(row, LockRow.Held::since, Instant.MAX));
        case LEFT -> Comparator.comparing(row -> first(row, LockRow.Held::expires, Instant.MAX));
        case TOKEN -> Comparator.comparing(row -> first(row, LockRow.Held::token, 0L));
        case WAITERS -> Comparator.comparing(row -> row.waiters().size());
      };
    }

    private static <T> T first(LockRow row, Function<LockRow.Held, T> of, T otherwise) {
      return row.holders().isEmpty() ? otherwise : of.apply(row.holders().get(0));
    }
  }

  /**
   * Which rows, and in which order.
   *
   * @param filter what the name, a holder or a waiter has in it; empty for all
   */
  public record Query(String filter, Sort sort, boolean descending) {}

  /** Returns what the store's clock showed. */
  public Instant now() {
    return now;
  }

  /** Returns all rows, in the order of the names. */
  public List<LockRow> rows() {
    return rows;
  }

  /** Tells whether there are more names than are read. */
  public boolean more() {
    return more;
  }

  /** Returns the row of a name, if somebody holds it or waits for it. */
  public Optional<LockRow> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** Returns the rows of a query; those that ask the same share the work. */
  public List<LockRow> select(Query query) {
    if (kept.size() >= MOST_KEPT && !kept.containsKey(query)) {
      return work(query);
    }
    return kept.computeIfAbsent(query, this::work);
  }

  private List<LockRow> work(Query query) {
    String wanted = query.filter().toLowerCase(Locale.ROOT);
    List<LockRow> found =
        wanted.isEmpty()
            ? new ArrayList<>(rows)
            : rows.stream()
                .filter(row -> row.matches(wanted))
                .collect(Collectors.toCollection(ArrayList::new));
    Comparator<LockRow> order = query.sort().order();
    found.sort((query.descending() ? order.reversed() : order).thenComparing(LockRow::name));
    return List.copyOf(found);
  }
}
