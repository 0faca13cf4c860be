package dev.pawl.degrade.protocol;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node's side of the protocol: it is told what was read, written and seen, with the time, and
 * says what to try next. It sends nothing and reads no clock. Not safe for several threads.
 */
public final class Warden {

  private final String node;
  private final boolean votes;
  private final Stores stores;
  private final long leaseNanos;
  private final Silence silence = new Silence();
  private Standing standing = Standing.NONE;
  private @Nullable ModeRecord latest;
  private long renewedNanos;
  private long readNanos;
  private long wellSinceNanos;
  private boolean well;
  private long calmSinceNanos;

  /**
   * Makes the side of a node that knows nothing yet.
   *
   * @param votes whether it has a say; false for a short-lived process
   * @param leaseNanos the length of a mode lease, the same in all nodes
   */
  public Warden(String node, boolean votes, Stores stores, long leaseNanos) {
    this.node = node;
    this.votes = votes;
    this.stores = stores;
    this.leaseNanos = leaseNanos;
  }

  /** Returns what the node may count on. */
  public Standing standing() {
    return standing;
  }

  /** Takes a record that was answered at that moment; false if the backup has forgotten. */
  public boolean onRead(ModeRecord record, long answeredNanos) {
    if (standing.isForgotten(record)) {
      return false;
    }
    ModeRecord before = latest;
    if (before == null
        || before.epoch() != record.epoch()
        || before.switches() != record.switches()) {
      calmSinceNanos = answeredNanos;
    }
    latest = record;
    standing = standing.read(record);
    silence.onRecord(record, answeredNanos);
    // A node that stood still for so long does not know how it was meanwhile.
    well &= answeredNanos - readNanos < voteNanos();
    readNanos = answeredNanos;
    if (!ModeMachine.allSee(record, fresh(answeredNanos), Sight.WELL)) {
      well = false;
    } else if (!well) {
      well = true;
      wellSinceNanos = answeredNanos;
    }
    return true;
  }

  /**
   * Takes that a change was made.
   *
   * @param after the record that it made
   * @param sentNanos when the compare-and-set was sent, read before that
   */
  public boolean onChanged(Change change, ModeRecord after, long sentNanos, long answeredNanos) {
    if (!onRead(after, answeredNanos)) {
      return false;
    }
    if (change instanceof Change.Beat || change instanceof Change.Join) {
      standing = standing.renewed(after, sentNanos, leaseNanos);
      renewedNanos = sentNanos;
    }
    return true;
  }

  /** Returns the members that were silent for a whole mode lease since this node looks. */
  public Set<String> dead(long lengthNanos, long nowNanos) {
    return silence.dead(lengthNanos, nowNanos);
  }

  private Set<String> fresh(long nowNanos) {
    return silence.heardWithin(voteNanos(), nowNanos);
  }

  /** A node writes every third of its lease: one that has missed two has no vote. */
  private long voteNanos() {
    return leaseNanos * 2 / 3;
  }

  /**
   * Returns what to try now on the record that was read last.
   *
   * @param idle whether nothing runs under a lease that the record no longer upholds
   * @param ready whether all that the node holds is in both stores
   * @param ceiling the highest token that the node needs
   * @param returnNanos how long all nodes must have seen the primary well to return to it
   * @param rawToken a token of the store that would have the locks next, if it is known
   */
  public Optional<Change> next(
      boolean idle,
      boolean ready,
      Sight sight,
      long ceiling,
      long returnNanos,
      OptionalLong rawToken,
      long nowNanos) {
    ModeRecord record = latest;
    if (record == null) {
      return Optional.empty();
    }
    return Steward.next(
        record,
        new Steward.Situation(
            node,
            votes,
            stores,
            idle,
            ready,
            sight,
            nowNanos - renewedNanos >= leaseNanos / 3,
            ceiling,
            silence.silent(leaseNanos, nowNanos),
            fresh(nowNanos),
            well && nowNanos - wellSinceNanos >= returnNanos,
            nowNanos - calmSinceNanos >= Backoff.DECAY_NANOS,
            rawToken));
  }
}
