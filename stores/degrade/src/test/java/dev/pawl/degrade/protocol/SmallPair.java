package dev.pawl.degrade.protocol;

import dev.pawl.degrade.protocol.SmallNode.Ask;
import dev.pawl.degrade.protocol.SmallNode.Hold;
import dev.pawl.degrade.protocol.SmallNode.Message;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A state of the small world: three nodes, two names, a record, and what is under way. Time goes in
 * steps of which a mode lease has {@link #LEASE}; all nodes' clocks go alike, since only lengths of
 * time are compared.
 *
 * <p>The stores' own leases are left to chance, within what the stores promise by themselves: a
 * name is free as soon as nobody believes to hold it, which is the worst for exclusion. Votes are
 * left to chance as well: the mode may be changed at any time.
 */
final class SmallPair {

  static final int NODES = 3;
  static final int NAMES = 2;
  static final int LEASE = 2;
  static final Stores STORES = new Stores("primary", "backup");
  private static final long RAISE = 4;

  final Rules rules;
  ModeRecord record;
  SmallNode[] nodes = new SmallNode[NODES];
  private int owned;

  /** The highest token of each name, and the floor of its epoch. */
  long[] tokens = new long[NAMES];

  long[] eras = new long[NAMES];

  /** What the tokens of the store have run ahead to; zero if they have not. */
  long source;

  /** Of which epoch a hold in the primary was left behind, where names carry none. */
  long[] leftovers = new long[NAMES];

  int changes;
  int crashes;

  /** The tick of the job that the first name is for, if there is one. */
  final @Nullable SmallTick tick;

  /** Starts with that many nodes, which have a mode lease; the others never were. */
  SmallPair(Rules rules, int living, boolean ticks) {
    this.rules = rules;
    this.tick = ticks ? new SmallTick(rules) : null;
    ModeRecord first = ModeRecord.first(STORES).with(new Tokens(0, 0, RAISE));
    for (int i = 0; i < NODES; i++) {
      nodes[i] = new SmallNode("n" + i, first);
      nodes[i].alive = i < living;
    }
    record = Plain.members(first);
    for (SmallNode node : own()) {
      if (node.alive) {
        beat(node, new Change.Join(node.id, true, STORES));
      }
    }
  }

  private SmallPair(SmallPair from, Rules other) {
    rules = other;
    tick = from.tick == null ? null : from.tick.copy(other);
    record = from.record;
    nodes = from.nodes.clone();
    tokens = from.tokens.clone();
    eras = from.eras.clone();
    source = from.source;
    leftovers = from.leftovers.clone();
    changes = from.changes;
    crashes = from.crashes;
  }

  /** Returns a state to be changed, of whose nodes each is copied when it is. */
  SmallPair copy() {
    return new SmallPair(this, rules);
  }

  SmallPair with(Rules other) {
    return new SmallPair(this, other);
  }

  /** Returns a node to be changed. */
  SmallNode own(int i) {
    if ((owned & 1 << i) == 0) {
      nodes[i] = nodes[i].copy();
      owned |= 1 << i;
    }
    return nodes[i];
  }

  /** Returns all nodes to be changed. */
  SmallNode[] own() {
    for (int i = 0; i < NODES; i++) {
      own(i);
    }
    return nodes;
  }

  // The record.

  /** Makes a change; what else is under way finds the record changed, and is refused. */
  boolean change(Change change) {
    if (!(rules.apply(record, change) instanceof ModeMachine.Changed changed)) {
      return false;
    }
    Mode before = record.mode();
    record = Plain.members(changed.record());
    if (change instanceof Change.Complete && before != record.mode()) {
      source = 0;
    }
    for (int i = 0; i < NODES; i++) {
      Message sent = nodes[i].message;
      if (sent != null && sent.answer() == null) {
        own(i).message = null;
      }
      boolean beats =
          (change instanceof Change.Beat beat && beat.node().equals(nodes[i].id))
              || (change instanceof Change.Join join && join.node().equals(nodes[i].id));
      if (beats) {
        own(i).quiet = 0;
        own(i).clock = 0;
      }
    }
    return true;
  }

  /** What a node writes to have its mode lease; null if it must not now. */
  Change lifeSign(SmallNode node, long ceiling, Sight sight) {
    if (record.member(node.id).isEmpty()) {
      return node.idle() ? new Change.Join(node.id, true, STORES) : null;
    }
    boolean leaving = node.seen.mode() == Mode.LEAVING;
    return leaving && !node.idle() && !rules.confirmsEarly()
        ? null
        : new Change.Beat(node.id, node.seen.epoch(), node.ready(), sight, ceiling);
  }

  /** Writes a node's sign of life, and answers it at once. */
  boolean beat(SmallNode node, Change sign) {
    if (!change(sign)) {
      return false;
    }
    node.sees(Plain.bare(record));
    node.left = LEASE;
    return true;
  }

  void answer(SmallNode node, ModeRecord answer, int age) {
    node.sees(answer);
    node.left = Math.max(node.left, Math.max(0, rules.leaseLeft(age)));
  }

  // The names.

  private boolean isFree(boolean primary, long names, int name) {
    for (SmallNode node : nodes) {
      Footing footing = node.footings[name];
      if (node.alive && names == (primary ? footing.primary() : footing.backup())) {
        return false;
      }
    }
    return true;
  }

  /** A request for a name reaches its store; false if it has to wait there. */
  boolean arrive(SmallNode node, int name, Ask ask) {
    if (!isFree(ask.primary(), ask.names(), name)) {
      return false;
    }
    if (ask.primary() && leftovers[name] != 0 && leftovers[name] != ask.names()) {
      throw new Violated(
          "name "
              + name
              + " is blocked in the primary by what epoch "
              + leftovers[name]
              + " left behind");
    }
    node.asks[name] = null;
    if (!node.alive || node.left == 0) {
      return true;
    }
    ModeRecord seen = node.seen;
    Footing footing = new Footing(ask.primary() ? ask.names() : 0, ask.primary() ? 0 : ask.names());
    if (seen.mode() == Mode.RETURNING && footing.stands(seen) && !rules.believesTheBackupAlone()) {
      node.hold(name, Hold.HALF, footing);
    } else if (footing.stands(seen)) {
      believe(node, name, footing);
    }
    return true;
  }

  /** A node takes a name in the primary that it has in the backup; false if it has to wait. */
  boolean takeBoth(SmallNode node, int name) {
    long names = node.seen.primaryNames();
    if (!isFree(true, names, name)) {
      return false;
    }
    Footing both = new Footing(names, node.footings[name].backup());
    if (node.holds[name] == Hold.HELD) {
      node.footings[name] = both;
      return true;
    }
    node.drop(name);
    if (rules.looksAgain()) {
      node.sees(Plain.bare(record));
    }
    if (both.stands(node.seen) && node.left > 0) {
      if (both.isReady(node.seen)) {
        believe(node, name, both);
      } else { // The return was aborted and begun again: the primary has other names.
        node.hold(name, Hold.HALF, new Footing(0, both.backup()));
      }
    }
    return true;
  }

  private void believe(SmallNode node, int name, Footing footing) {
    long token = Math.max(node.seen.tokens().floor() + 1, source);
    if (!rules.admits(node.seen.tokens(), token)) {
      Change raise = lifeSign(node, token + RAISE, Sight.WELL);
      if (raise == null || !beat(node, raise) || !isBelievable(node, footing)) {
        return;
      }
      token = Math.max(node.seen.tokens().floor() + 1, source);
      if (!rules.admits(node.seen.tokens(), token)) {
        return;
      }
    }
    if (tick != null && !tick.mayRun(node, footing)) {
      return;
    }
    long era = node.seen.tokens().floor();
    if (era < eras[name] || (era > eras[name] && token <= tokens[name])) {
      throw new Violated(
          "the token of name " + name + " does not rise: " + token + " after " + tokens[name]);
    }
    tokens[name] = Math.max(tokens[name], token);
    eras[name] = era;
    node.hold(name, Hold.HELD, footing);
  }

  private boolean isBelievable(SmallNode node, Footing footing) {
    return footing.stands(node.seen)
        && (footing.isReady(node.seen) || rules.believesTheBackupAlone());
  }

  /** A hold ends without a release, which an hour's lease leaves in the primary. */
  void abandon(SmallNode node, int name) {
    if (!rules.namesCarryTheirEpoch() && node.footings[name].primary() != 0) {
      leftovers[name] = node.footings[name].primary();
    }
    node.drop(name);
  }

  void tick() {
    for (SmallNode node : own()) {
      node.left = Math.max(0, node.left - 1);
      node.quiet = Math.min(LEASE, node.quiet + 1);
      node.clock = Math.min(LEASE, node.clock + 1);
      Message sent = node.message;
      if (sent != null) {
        node.message = new Message(sent.change(), Math.min(LEASE, sent.age() + 1), sent.answer());
      }
      for (int name = 0; name < NAMES && node.left == 0; name++) {
        boolean unbounded = !rules.boundsBelief() && node.footings[name].primary() != 0;
        if (!unbounded && node.holds[name] != Hold.NONE) {
          abandon(node, name);
        }
      }
    }
  }

  // What must hold, and how states are told apart.

  void check() {
    for (int name = 0; name < NAMES; name++) {
      int working = 0;
      for (SmallNode node : nodes) {
        working += node.works(name, rules.boundsBelief()) ? 1 : 0;
      }
      if (working > 1) {
        throw new Violated("two work under name " + name + " at once");
      }
    }
  }

  /** Returns the same for states that differ only in which node or name is which. */
  long key() {
    return tick != null ? key(false) : Math.min(key(false), key(true));
  }

  private long key(boolean swap) {
    long hash = SmallNode.mix(record.asked(), record);
    hash = SmallNode.mix(hash, source);
    if (tick != null) {
      hash = SmallNode.mix(hash, tick.hash());
    }
    hash = SmallNode.mix(hash, changes * 8L + crashes);
    for (int i = 0; i < NAMES; i++) {
      int name = swap ? 1 - i : i;
      hash = SmallNode.mix(SmallNode.mix(hash, tokens[name]), eras[name] + leftovers[name]);
    }
    long[] parts = new long[NODES];
    for (int i = 0; i < NODES; i++) {
      parts[i] = nodes[i].hash(record, swap);
    }
    Arrays.sort(parts);
    for (long part : parts) {
      hash = SmallNode.mix(hash, part);
    }
    return hash;
  }
}
