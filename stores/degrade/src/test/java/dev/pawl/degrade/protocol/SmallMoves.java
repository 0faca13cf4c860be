package dev.pawl.degrade.protocol;

import dev.pawl.degrade.protocol.SmallNode.Ask;
import dev.pawl.degrade.protocol.SmallNode.Hold;
import dev.pawl.degrade.protocol.SmallNode.Message;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * All that can happen in a state. A node that is paused or cut off is one to which nothing happens
 * for a while; a message that is late arrives at any time, or never.
 */
final class SmallMoves {

  /**
   * How far the search goes.
   *
   * @param nodes how many nodes there are
   * @param names how many names they use
   * @param changes how often the mode is changed or a change aborted
   * @param crashes how many nodes die
   * @param late how many messages are late at a time
   * @param ticks whether the first name is that of a job
   */
  record Bounds(int nodes, int names, int changes, int crashes, int late, boolean ticks) {}

  /** Takes each of the states that follow, and how they came about. */
  interface Sink {
    void accept(Supplier<String> what, SmallPair next);
  }

  private final SmallPair from;
  private final Bounds bounds;
  private final Sink sink;
  private final int late;

  private SmallMoves(SmallPair from, Bounds bounds, Sink sink) {
    this.from = from;
    this.bounds = bounds;
    this.sink = sink;
    int count = 0;
    for (SmallNode node : from.nodes) {
      count += (node.message != null ? 1 : 0) + (node.writing ? 1 : 0);
      for (Ask ask : node.asks) {
        count += ask != null ? 1 : 0;
      }
    }
    late = count;
  }

  static void of(SmallPair from, Bounds bounds, Sink sink) {
    SmallMoves moves = new SmallMoves(from, bounds, sink);
    moves.ofTheRecord();
    for (int i = 0; i < SmallPair.NODES; i++) {
      moves.ofTheNode(i);
    }
    moves.make(() -> "time passes", SmallPair::tick);
  }

  private void make(Supplier<String> what, Consumer<SmallPair> move) {
    tryOut(
        what,
        next -> {
          move.accept(next);
          return true;
        });
  }

  /** Makes a move, unless it turns out that it cannot be made. */
  private void tryOut(Supplier<String> what, Predicate<SmallPair> move) {
    SmallPair next = from.copy();
    boolean made;
    try {
      made = move.test(next);
    } catch (Violated violated) {
      sink.accept(what, null);
      throw violated;
    }
    if (made) {
      sink.accept(what, next);
    }
  }

  private void ofTheRecord() {
    boolean anybody = false;
    for (SmallNode node : from.nodes) {
      anybody |= node.alive;
    }
    if (!anybody) {
      return;
    }
    long epoch = from.record.epoch();
    if (from.changes < bounds.changes()) {
      for (boolean toBackup : new boolean[] {true, false}) {
        changeOf(new Change.Force(epoch, toBackup, ""), 1);
      }
    }
    changeOf(new Change.Complete(epoch, 0), 0);
    for (SmallNode node : from.nodes) {
      if (from.record.member(node.id).isPresent()
          && from.rules.maySeeSilence(node.quiet, node.clock)) {
        changeOf(new Change.Expel(node.id, 0), 0);
      }
    }
    if (from.source == 0) {
      make(
          () -> "the store's tokens run ahead of the ceiling",
          next -> next.source = next.record.tokens().ceiling() + 1);
    }
    if (from.rules.maySeeSilence(0, SmallPair.LEASE)) { // Only then does a clock matter.
      make(
          () -> "the backup's clock steps",
          next -> {
            for (SmallNode node : next.own()) {
              node.clock = SmallPair.LEASE;
            }
          });
    }
  }

  private void changeOf(Change change, int cost) {
    SmallPair next = from.copy();
    ModeRecord before = next.record;
    if (next.change(change) && !next.record.equals(before)) {
      next.changes += cost;
      sink.accept(
          () ->
              change instanceof Change.Expel expel
                  ? expel.node() + " is taken off the list"
                  : before.mode() + " becomes " + next.record.mode() + " " + next.record.epoch(),
          next);
    }
  }

  private void ofTheNode(int i) {
    SmallNode node = from.nodes[i];
    messages(i, node);
    if (node.writing) {
      make(() -> "the late mark of " + node.id + " arrives", next -> next.tick.finish(next.own(i)));
    }
    if (!node.alive) {
      return;
    }
    if (node.seen.epoch() != from.record.epoch()
        || !node.seen.tokens().equals(from.record.tokens())) {
      make(() -> node.id + " reads the record", next -> next.own(i).sees(Plain.bare(next.record)));
    }
    lifeSigns(i, node);
    for (int name = 0; name < bounds.names(); name++) {
      ofTheName(i, node, name);
    }
    if (from.crashes < bounds.crashes()) {
      make(
          () -> node.id + " dies",
          next -> {
            SmallNode dead = next.own(i);
            for (int name = 0; name < SmallPair.NAMES; name++) {
              next.abandon(dead, name);
              dead.asks[name] = null;
            }
            dead.alive = false;
            dead.left = 0;
            next.crashes++;
          });
    }
  }

  private void lifeSigns(int i, SmallNode node) {
    Change sign = from.lifeSign(node, 0, Sight.WELL);
    if (sign == null || !(from.rules.apply(from.record, sign) instanceof ModeMachine.Changed)) {
      return;
    }
    make(() -> node.id + " confirms " + sign, next -> next.beat(next.own(i), sign));
    if (late < bounds.late() && node.message == null) {
      make(
          () -> node.id + " sends " + sign + ", which is late",
          next -> next.own(i).message = new Message(sign, 0, null));
      make(
          () -> node.id + " confirms " + sign + ", and the answer is late",
          next -> {
            next.change(sign);
            next.own(i).message = new Message(sign, 0, Plain.bare(next.record));
          });
    }
  }

  private void messages(int i, SmallNode node) {
    Message sent = node.message;
    if (sent == null) {
      return;
    }
    ModeRecord answer = sent.answer();
    if (answer == null) {
      make(
          () -> "the late " + sent.change() + " arrives and is answered",
          next -> {
            if (next.change(sent.change()) && node.alive) {
              next.answer(next.own(i), Plain.bare(next.record), sent.age());
            }
            next.own(i).message = null;
          });
      make(
          () -> "the late " + sent.change() + " arrives",
          next -> {
            boolean made = next.change(sent.change());
            next.own(i).message =
                made ? new Message(sent.change(), sent.age(), Plain.bare(next.record)) : null;
          });
    } else if (node.alive) {
      make(
          () -> node.id + " hears the late answer to " + sent.change(),
          next -> {
            next.answer(next.own(i), answer, sent.age());
            next.own(i).message = null;
          });
    }
  }

  private void ofTheName(int i, SmallNode node, int name) {
    Ask waiting = node.asks[name];
    if (waiting != null) {
      arrival(i, node, name, waiting, true);
      return;
    }
    switch (node.holds[name]) {
      case NONE -> {
        Ask ask = ask(node);
        if (ask != null && node.left > 0) {
          arrival(i, node, name, ask, false);
          if (late < bounds.late()) {
            tryOut(
                () -> node.id + " asks for name " + name + " by " + ask + ", which is late",
                next -> {
                  next.own(i).asks[name] = ask;
                  return next.tick == null || next.tick.readMark(next.own(i));
                });
          }
        }
      }
      case HALF, HELD -> {
        boolean upgrades =
            node.seen.mode() == Mode.RETURNING
                && node.footings[name].primary() != node.seen.primaryNames();
        if (upgrades) {
          tryOut(
              () -> node.id + " takes name " + name + " in the primary too",
              next -> next.takeBoth(next.own(i), name));
        }
        if (from.tick != null && node.holds[name] == Hold.HELD && !node.writing) {
          make(() -> node.id + " has run the tick", next -> next.tick.finish(next.own(i)));
          if (late < bounds.late()) {
            make(
                () -> node.id + " has run the tick, and its mark is late",
                next -> next.own(i).writing = true);
          }
        }
        make(() -> node.id + " releases name " + name, next -> next.own(i).drop(name));
      }
      case LOST ->
          make(
              () -> "what " + node.id + " did under name " + name + " has ended",
              next -> next.abandon(next.own(i), name));
    }
  }

  private void arrival(int i, SmallNode node, int name, Ask ask, boolean waiting) {
    String what = waiting ? "the late request of " : "the request of ";
    tryOut(
        () ->
            what
                + node.id
                + " for name "
                + name
                + " arrives in "
                + (ask.primary() ? "the primary" : "the backup"),
        next -> {
          SmallNode asker = next.own(i);
          return (waiting || next.tick == null || next.tick.readMark(asker))
              && next.arrive(asker, name, ask);
        });
  }

  static Ask ask(SmallNode node) {
    return switch (node.seen.mode()) {
      case PRIMARY -> new Ask(true, node.seen.primaryNames());
      case BACKUP, RETURNING -> new Ask(false, node.seen.backupNames());
      case LEAVING -> null;
    };
  }
}
