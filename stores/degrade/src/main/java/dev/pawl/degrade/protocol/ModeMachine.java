package dev.pawl.degrade.protocol;

import java.util.Set;

/**
 * The changes of the record of a pair, as a pure function.
 *
 * <pre>
 *             Switch                 Complete
 *   PRIMARY ─────────▶ LEAVING ──────────────────▶ BACKUP
 *      ▲ ◀──────────────  │                        │  ▲
 *      │      Abort                         Return │  │ Abort
 *      │                                           ▼  │
 *      └────────────────────────────────────── RETURNING
 *                        Complete
 * </pre>
 */
public final class ModeMachine {

  private ModeMachine() {}

  /** What becomes of a change. */
  public sealed interface Step {}

  /** The change is made if the record is still the one that was read. */
  public record Changed(ModeRecord record) implements Step {}

  /** The change cannot be made; the reason is for people. */
  public record Refused(String reason) implements Step {}

  /** Works out what a change makes of the record. */
  public static Step apply(ModeRecord record, Change change) {
    if (change instanceof Change.Join join) {
      return join(record, join);
    } else if (change instanceof Change.Beat beat) {
      return beat(record, beat);
    } else if (change instanceof Change.Leave leave) {
      return new Changed(record.without(leave.node()));
    } else if (change instanceof Change.Expel expel) {
      return expel(record, expel);
    } else if (change instanceof Change.Switch leaving) {
      return leave(record, leaving);
    } else if (change instanceof Change.Return returning) {
      return comeBack(record, returning);
    } else if (change instanceof Change.Abort abort) {
      return abort(record, abort);
    } else if (change instanceof Change.Complete complete) {
      return complete(record, complete);
    } else if (change instanceof Change.Calm calm) {
      return calm(record, calm);
    }
    return force(record, (Change.Force) change);
  }

  private static Step join(ModeRecord record, Change.Join join) {
    if (!record.stores().areThoseOf(join.stores())) {
      return new Refused(
          "the pair is of "
              + record.stores().primary()
              + " and "
              + record.stores().backup()
              + ", and this node was configured with "
              + join.stores().primary()
              + " and "
              + join.stores().backup()
              + "; give all nodes the same two stores");
    }
    boolean first = record.members().isEmpty();
    if (record.stores().leaseMillis() != join.stores().leaseMillis() && !first) {
      return new Refused(
          "the mode lease of the pair is "
              + record.stores().leaseMillis()
              + " ms, and this node was configured with "
              + join.stores().leaseMillis()
              + " ms; give all nodes the same, or stop them all to change it");
    }
    return new Changed(
        record
            .of(first ? join.stores() : record.stores())
            .with(
                new Member(
                    join.node(),
                    join.votes(),
                    record.beats() + 1,
                    record.epoch(),
                    true,
                    Sight.WELL)));
  }

  private static Step beat(ModeRecord record, Change.Beat beat) {
    Member member = record.member(beat.node()).orElse(null);
    if (member == null) {
      return new Refused("the node is not listed: it was silent for a whole mode lease");
    }
    if (beat.epoch() < record.asked() || beat.epoch() > record.epoch()) {
      return new Refused("the epoch is " + record.epoch() + ", and not " + beat.epoch());
    }
    return new Changed(
        record
            .with(
                new Member(
                    beat.node(),
                    member.votes(),
                    record.beats() + 1,
                    beat.epoch(),
                    beat.ready(),
                    beat.sight()))
            .with(record.tokens().raisedTo(beat.ceiling())));
  }

  private static Step expel(ModeRecord record, Change.Expel expel) {
    Member member = record.member(expel.node()).orElse(null);
    return member != null && member.beat() == expel.beat()
        ? new Changed(record.without(expel.node()))
        : new Refused("it has been heard of again");
  }

  private static Step leave(ModeRecord record, Change.Switch change) {
    if (record.epoch() != change.epoch() || record.mode() != Mode.PRIMARY) {
      return new Refused("the mode is " + record.mode() + " of epoch " + record.epoch());
    }
    return mostSee(record, change.voters(), Sight.DEAD)
        ? new Changed(
            leaving(record, change.reason()).switches(Backoff.afterSwitch(record.switches())))
        : new Refused("most nodes do not see the primary dead");
  }

  private static Step comeBack(ModeRecord record, Change.Return change) {
    if (record.epoch() != change.epoch() || record.mode() != Mode.BACKUP) {
      return new Refused("the mode is " + record.mode() + " of epoch " + record.epoch());
    }
    return !record.pinned() && allSee(record, change.voters(), Sight.WELL)
        ? new Changed(returning(record, change.reason()))
        : new Refused("not all nodes see the primary well, or a person has chosen the backup");
  }

  private static Step abort(ModeRecord record, Change.Abort change) {
    boolean leaving = record.mode() == Mode.LEAVING;
    if (record.epoch() != change.epoch() || !(leaving || record.mode() == Mode.RETURNING)) {
      return new Refused("the mode is " + record.mode() + " of epoch " + record.epoch());
    }
    return !(leaving && record.pinned())
            && mostSee(record, change.voters(), leaving ? Sight.WELL : Sight.DEAD)
        ? new Changed(aborted(record, change.reason()))
        : new Refused("most nodes are not for it");
  }

  private static Step complete(ModeRecord record, Change.Complete change) {
    if (record.epoch() != change.epoch() || !record.isSettled()) {
      return new Refused("somebody has not confirmed epoch " + record.asked());
    }
    return switch (record.mode()) {
      case LEAVING ->
          new Changed(record.completed(Mode.BACKUP, record.tokens().next(change.raw())));
      case RETURNING ->
          new Changed(record.completed(Mode.PRIMARY, record.tokens().next(change.raw())));
      default -> new Refused("no change is under way");
    };
  }

  private static Step calm(ModeRecord record, Change.Calm change) {
    return record.epoch() == change.epoch()
            && record.switches() == change.switches()
            && change.switches() > 0
        ? new Changed(record.switches(change.switches() - 1))
        : new Refused("there was a switch meanwhile, or another node was faster");
  }

  private static Step force(ModeRecord record, Change.Force change) {
    if (record.epoch() != change.epoch()) {
      return new Refused("the epoch is " + record.epoch() + " by now; look again");
    }
    boolean isThere =
        change.toBackup() == (record.mode() == Mode.LEAVING || record.mode() == Mode.BACKUP);
    if (isThere) {
      return record.pinned() == change.toBackup()
          ? new Refused("the mode is " + record.mode() + " already")
          : new Changed(record.pinned(change.toBackup()));
    }
    ModeRecord next =
        switch (record.mode()) {
          case PRIMARY -> leaving(record, change.reason());
          case BACKUP -> returning(record, change.reason());
          case LEAVING, RETURNING -> aborted(record, change.reason());
        };
    return new Changed(next.pinned(change.toBackup()));
  }

  private static ModeRecord leaving(ModeRecord record, String why) {
    return record.asking(Mode.LEAVING, record.primaryNames(), record.epoch() + 1, why);
  }

  private static ModeRecord returning(ModeRecord record, String why) {
    return record.asking(Mode.RETURNING, record.epoch() + 1, record.backupNames(), why);
  }

  /**
   * Nobody was granted anything elsewhere meanwhile, so the names keep their epoch, and who has not
   * confirmed yet goes on with what it holds.
   */
  private static ModeRecord aborted(ModeRecord record, String why) {
    Mode back = record.mode() == Mode.LEAVING ? Mode.PRIMARY : Mode.BACKUP;
    return record.asking(back, record.primaryNames(), record.backupNames(), why);
  }

  /** Tells whether more than half of those who have a say see the primary so. */
  static boolean mostSee(ModeRecord record, Set<String> voters, Sight sight) {
    return 2 * count(record, voters, sight) > record.voters();
  }

  /** Tells whether all who have a say see the primary so. */
  static boolean allSee(ModeRecord record, Set<String> voters, Sight sight) {
    return record.voters() > 0 && count(record, voters, sight) == record.voters();
  }

  private static int count(ModeRecord record, Set<String> voters, Sight sight) {
    int count = 0;
    for (Member member : record.members()) {
      boolean votes = member.votes() && voters.contains(member.node());
      count += votes && member.sight() == sight ? 1 : 0;
    }
    return count;
  }
}
