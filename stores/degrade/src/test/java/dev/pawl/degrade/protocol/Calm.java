package dev.pawl.degrade.protocol;

import dev.pawl.degrade.protocol.SmallNode.Ask;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What becomes of a state when no fault happens any more: whether the primary is well or dead, all
 * nodes that live get where they can work, and every name can be had.
 */
final class Calm {

  /** Each silent node costs a mode lease; there are three nodes and two changes to complete. */
  private static final int PATIENCE = 8 * SmallPair.LEASE;

  private final Set<Long> known = new HashSet<>();

  void check(SmallPair state) {
    for (Sight sight : Sight.values()) {
      SmallPair calm = state.copy();
      quieten(calm);
      if (known.add(SmallNode.mix(calm.key(), sight.name().hashCode()))) {
        run(calm, sight);
      }
    }
  }

  /** Messages are lost, and who holds something releases it. */
  private static void quieten(SmallPair state) {
    for (SmallNode node : state.own()) {
      node.message = null;
      node.writing = false;
      for (int name = 0; name < SmallPair.NAMES; name++) {
        node.asks[name] = null;
        node.drop(name);
      }
    }
  }

  /** Brings a state to where all nodes that live work, if the primary is seen so. */
  static void run(SmallPair state, Sight sight) {
    Mode goal = sight == Sight.WELL ? Mode.PRIMARY : Mode.BACKUP;
    boolean anybody = false;
    for (SmallNode node : state.nodes) {
      anybody |= node.alive;
    }
    if (!anybody) {
      return;
    }
    for (int time = 0; time < PATIENCE; time++) {
      settle(state, sight);
      if (state.record.mode() == goal && isServed(state)) {
        return;
      }
      state.tick();
    }
    throw new Violated(
        "stuck: the primary is " + sight + ", and the mode remains " + state.record.mode());
  }

  /** Has all nodes do what they would, until nobody has anything to do. */
  private static void settle(SmallPair state, Sight sight) {
    boolean changed = true;
    for (int round = 0; changed && round < 50; round++) {
      changed = false;
      for (SmallNode node : state.own()) {
        if (node.alive) {
          node.sees(Plain.bare(state.record));
          Optional<Change> change = Steward.next(state.record, situation(state, node, sight));
          changed |= change.isPresent() && make(state, node, change.get());
        }
      }
    }
  }

  private static boolean make(SmallPair state, SmallNode node, Change change) {
    return (change instanceof Change.Beat || change instanceof Change.Join)
        ? state.beat(node, change)
        : state.change(change);
  }

  private static Steward.Situation situation(SmallPair state, SmallNode self, Sight sight) {
    Set<String> alive = new HashSet<>();
    Optional<Change.Expel> silent = Optional.empty();
    for (SmallNode node : state.nodes) {
      boolean listed = state.record.member(node.id).isPresent();
      if (node.alive && listed) {
        alive.add(node.id);
      }
      if (listed && node.quiet >= SmallPair.LEASE) {
        silent = Optional.of(new Change.Expel(node.id, 0));
      }
    }
    return new Steward.Situation(
        self.id,
        true,
        state.record.stores(),
        self.idle(),
        self.ready(),
        sight,
        self.left < SmallPair.LEASE,
        0,
        silent,
        alive,
        true,
        false,
        OptionalLong.of(0));
  }

  /** Whether every node that lives gets every name. */
  private static boolean isServed(SmallPair state) {
    for (SmallNode node : state.nodes) {
      for (int name = 0; name < SmallPair.NAMES && node.alive && state.tick == null; name++) {
        SmallPair tried = state.copy();
        for (SmallNode one : tried.own()) {
          if (one.id.equals(node.id)) {
            Ask ask = SmallMoves.ask(one);
            if (ask == null
                || one.left == 0
                || !tried.arrive(one, name, ask)
                || one.holds[name] != SmallNode.Hold.HELD) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }
}
