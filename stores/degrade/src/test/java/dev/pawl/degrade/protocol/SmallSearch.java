package dev.pawl.degrade.protocol;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Visits every state that the small world can get into, breadth first, so that the way to a
 * violation is a shortest one.
 */
final class SmallSearch {

  private final Rules rules;
  private final SmallMoves.Bounds bounds;
  private final Set<Long> known = new HashSet<>();
  private final List<SmallPair> starts = new ArrayList<>();
  private final List<int[]> parents = new ArrayList<>();
  private final Calm calm;
  private long transitions;
  private int depth;

  SmallSearch(Rules rules, SmallMoves.Bounds bounds) {
    this.rules = rules;
    this.bounds = bounds;
    this.calm = new Calm();
  }

  /** Goes that many steps deep; throws an {@link AssertionError} with the way to a violation. */
  SmallSearch explore(int steps) {
    List<SmallPair> level = new ArrayList<>();
    List<SmallPair> following = new ArrayList<>();
    starts();
    for (int start = 0; start < starts.size(); start++) {
      visit(starts.get(start), -1, start, level);
    }
    int number = 0;
    for (depth = 0; depth < steps && !level.isEmpty(); depth++) {
      for (SmallPair state : level) {
        int self = number++;
        int[] move = {0};
        try {
          calm.check(state);
        } catch (Violated violated) {
          throw new AssertionError(way(self, -1, violated), violated);
        }
        try {
          SmallMoves.of(
              state,
              bounds,
              (what, next) -> {
                int index = move[0]++;
                if (next != null) {
                  next.check();
                  visit(next, self, index, following);
                  transitions++;
                }
              });
        } catch (Violated violated) {
          throw new AssertionError(way(self, move[0] - 1, violated), violated);
        }
      }
      level.clear();
      level.addAll(following);
      following.clear();
    }
    return this;
  }

  /** The four modes, each with all nodes where they should be. */
  private void starts() {
    SmallPair primary = new SmallPair(Rules.REAL, bounds.nodes(), bounds.ticks());
    SmallPair leaving = primary.copy();
    leaving.change(new Change.Force(leaving.record.epoch(), true, ""));
    SmallPair backup = leaving.copy();
    Calm.run(backup, Sight.DEAD);
    SmallPair returning = backup.copy();
    returning.change(new Change.Force(returning.record.epoch(), false, ""));
    for (SmallPair start : List.of(primary, leaving, backup, returning)) {
      starts.add(start.with(rules));
    }
  }

  int states() {
    return known.size();
  }

  long transitions() {
    return transitions;
  }

  int depth() {
    return depth;
  }

  private void visit(SmallPair state, int parent, int move, List<SmallPair> level) {
    if (known.add(state.key())) {
      level.add(state);
      parents.add(new int[] {parent, move});
    }
  }

  /** Goes the way again, this time with words. */
  private String way(int last, int lastMove, Violated violated) {
    List<Integer> moves = new ArrayList<>();
    int number = last;
    for (; parents.get(number)[0] >= 0; number = parents.get(number)[0]) {
      moves.add(0, parents.get(number)[1]);
    }
    SmallPair state = starts.get(parents.get(number)[1]);
    StringBuilder text = new StringBuilder(violated.getMessage());
    text.append("\nthe way there, from mode ").append(state.record.mode()).append(":\n");
    for (int move : moves) {
      state = step(state, move, text);
    }
    if (lastMove < 0) {
      return text.append("  and then no fault happens any more").toString();
    }
    step(state, lastMove, text);
    return text.toString();
  }

  private SmallPair step(SmallPair from, int index, StringBuilder text) {
    int[] count = {0};
    SmallPair[] found = {from};
    Supplier<?>[] label = {() -> "?"};
    try {
      SmallMoves.of(
          from,
          bounds,
          (what, next) -> {
            if (count[0]++ == index) {
              label[0] = what;
              found[0] = next;
            }
          });
    } catch (Violated violated) {
      // It is what is being told.
    }
    text.append("  ").append(label[0].get()).append('\n');
    return found[0];
  }
}
