package dev.pawl.degrade.protocol;

import org.jspecify.annotations.Nullable;

/** A node of the small world. */
final class SmallNode implements Cloneable {

  enum Hold {
    NONE,
    /** It has the name in the backup, and needs it in the primary too. */
    HALF,
    /** It works under it. */
    HELD,
    /** It was told that the lease is lost, and what ran under it has not ended yet. */
    LOST
  }

  /** A request for a name that is under way, or waits in the store's queue. */
  record Ask(boolean primary, long names) {}

  /**
   * A change of the record that is under way, or its answer.
   *
   * @param answer the record that the change led to, once it was made
   */
  record Message(Change change, int age, @Nullable ModeRecord answer) {}

  final String id;
  boolean alive = true;
  ModeRecord seen;

  /** How much is left of its mode lease. */
  int left;

  /** How long ago its last beat reached the record; and by the backup's clock. */
  int quiet;

  int clock;
  Hold[] holds = {Hold.NONE, Hold.NONE};
  Footing[] footings = {NOWHERE, NOWHERE};
  @Nullable Ask[] asks = {null, null};
  @Nullable Message message;

  /** The epoch at which it has read the mark of the tick; and whether its own is under way. */
  long markRead;

  boolean writing;

  private static final Footing NOWHERE = new Footing(0, 0);

  SmallNode(String id, ModeRecord seen) {
    this.id = id;
    this.seen = seen;
  }

  SmallNode copy() {
    try {
      SmallNode copy = (SmallNode) clone();
      copy.holds = holds.clone();
      copy.footings = footings.clone();
      copy.asks = asks.clone();
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** Takes a record; what it no longer upholds is lost. */
  void sees(ModeRecord record) {
    if (record.epoch() < seen.epoch()) {
      return;
    }
    seen = record;
    for (int name = 0; name < holds.length; name++) {
      if (holds[name] == Hold.HELD && !footings[name].stands(record)) {
        holds[name] = Hold.LOST;
      } else if (holds[name] == Hold.HALF
          && !(record.mode() == Mode.RETURNING && footings[name].stands(record))) {
        drop(name);
      }
    }
  }

  void hold(int name, Hold hold, Footing footing) {
    holds[name] = hold;
    footings[name] = footing;
  }

  void drop(int name) {
    hold(name, Hold.NONE, NOWHERE);
  }

  /** Nothing runs under a lease that was lost. */
  boolean idle() {
    return holds[0] != Hold.LOST && holds[1] != Hold.LOST;
  }

  boolean ready() {
    for (int name = 0; name < holds.length; name++) {
      if (holds[name] == Hold.HELD && !footings[name].isReady(seen)) {
        return false;
      }
    }
    return true;
  }

  /** Whether something of this node still runs, or is believed, under that name. */
  boolean works(int name, boolean bounded) {
    return alive
        && (holds[name] == Hold.HELD || holds[name] == Hold.LOST)
        && (left > 0 || !bounded);
  }

  /** Returns the same for nodes that are in the same state. */
  long hash(ModeRecord record, boolean swap) {
    Member member = record.member(id).orElse(null);
    long hash = alive ? 1 : 2;
    if (member != null) {
      hash = mix(hash, member.epoch() * 64 + quiet * 16L + clock * 4L + (member.ready() ? 1 : 2));
    }
    if (alive) {
      hash = mix(hash, markRead * 2 + (writing ? 1 : 0));
      hash = mix(mix(hash, seen), left);
    }
    for (int i = 0; i < 2; i++) {
      int name = swap ? 1 - i : i;
      hash = mix(hash, holds[name].name().hashCode());
      hash = mix(hash, footings[name].primary() * 64 + footings[name].backup());
      Ask ask = asks[name];
      hash = mix(hash, ask == null ? 0 : ask.names() * 2 + (ask.primary() ? 1 : 0));
    }
    Message sent = message;
    if (sent != null) {
      hash = mix(hash, 77 + sent.age());
      if (sent.change() instanceof Change.Beat beat) {
        hash = mix(hash, beat.epoch() * 2 + (beat.ready() ? 1 : 0));
      }
      if (sent.answer() != null) {
        hash = mix(hash, sent.answer());
      }
    }
    return hash;
  }

  static long mix(long hash, ModeRecord record) {
    long mixed = mix(mix(hash, record.epoch()), record.mode().name().hashCode());
    mixed = mix(mixed, record.primaryNames() * 64 + record.backupNames());
    return mix(mix(mixed, record.tokens().floor()), record.tokens().ceiling());
  }

  /** A round of a good mixer of 64 bits: with ten million states, two alike are most unlikely. */
  static long mix(long hash, long value) {
    long mixed = (hash ^ value) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 29);
  }
}
