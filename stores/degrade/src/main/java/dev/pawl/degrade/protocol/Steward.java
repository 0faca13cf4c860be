package dev.pawl.degrade.protocol;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a node does next about the record. Every node does the same; nobody is elected, since each
 * step is a compare-and-set that only one of them makes.
 */
public final class Steward {

  /** How a node sees the world when it decides. */
  public record Situation(
      String node,
      boolean votes,
      Stores stores,
      /** Whether nothing runs under a lease that the record no longer upholds. */
      boolean idle,
      /** Whether all that the node holds is in both stores. */
      boolean ready,
      Sight sight,
      /** Whether the mode lease is to be renewed by now. */
      boolean renewalDue,
      /** The highest token that the node needs. */
      long ceiling,
      /** A member that has been silent for a whole mode lease. */
      Optional<Change.Expel> silent,
      /** Whose votes count. */
      Set<String> voters,
      /** Whether the primary has been well for long enough to return to it. */
      boolean returnDue,
      /** Whether the mode has not changed for so long that a switch is forgotten. */
      boolean calm,
      /** A token of the store that would have the locks next, if it is known. */
      OptionalLong rawToken) {}

  private Steward() {}

  /** Returns what to try now; nothing if all is as it should be, or others have to act first. */
  public static Optional<Change> next(ModeRecord record, Situation situation) {
    Member self = record.member(situation.node()).orElse(null);
    if (self == null) {
      return situation.idle()
          ? Optional.of(new Change.Join(situation.node(), situation.votes(), situation.stores()))
          : Optional.empty();
    }
    boolean mayBeat = record.mode() != Mode.LEAVING || situation.idle();
    if (mayBeat && isBeatDue(record, self, situation)) {
      return Optional.of(
          new Change.Beat(
              situation.node(),
              record.epoch(),
              situation.ready(),
              situation.sight(),
              situation.ceiling()));
    }
    if (situation.silent().isPresent()) {
      return situation.silent().map(expel -> expel);
    }
    Optional<Change> decision = decision(record, situation);
    return decision.isEmpty() && situation.calm() && record.switches() > 0
        ? Optional.of(new Change.Calm(record.epoch(), record.switches()))
        : decision;
  }

  private static boolean isBeatDue(ModeRecord record, Member self, Situation situation) {
    return situation.renewalDue()
        || !record.hasConfirmed(self)
        || self.sight() != situation.sight()
        || (record.mode() == Mode.RETURNING && situation.ready() != self.ready())
        || situation.ceiling() > record.tokens().ceiling();
  }

  private static Optional<Change> decision(ModeRecord record, Situation situation) {
    long epoch = record.epoch();
    Set<String> voters = situation.voters();
    boolean mostDead = ModeMachine.mostSee(record, voters, Sight.DEAD);
    boolean mostWell = ModeMachine.mostSee(record, voters, Sight.WELL);
    switch (record.mode()) {
      case PRIMARY -> {
        return mostDead && situation.votes()
            ? Optional.of(new Change.Switch(epoch, voters, "most nodes see the primary dead"))
            : Optional.empty();
      }
      case BACKUP -> {
        return situation.returnDue()
                && !record.pinned()
                && situation.votes()
                && ModeMachine.allSee(record, voters, Sight.WELL)
            ? Optional.of(new Change.Return(epoch, voters, "the primary is well"))
            : Optional.empty();
      }
      case LEAVING -> {
        if (record.isSettled()) {
          return complete(epoch, situation);
        }
        return mostWell && situation.votes() && !record.pinned()
            ? Optional.of(new Change.Abort(epoch, voters, "the primary is well again"))
            : Optional.empty();
      }
      case RETURNING -> {
        if (mostDead && situation.votes()) {
          return Optional.of(new Change.Abort(epoch, voters, "the primary is dead again"));
        }
        return record.isSettled() ? complete(epoch, situation) : Optional.empty();
      }
    }
    throw new AssertionError(record.mode());
  }

  private static Optional<Change> complete(long epoch, Situation situation) {
    return situation.rawToken().isPresent()
        ? Optional.of(new Change.Complete(epoch, situation.rawToken().getAsLong()))
        : Optional.empty();
  }
}
