package dev.pawl.degrade.protocol;

/** Protocols with one thing wrong each; the search has to find what it leads to. */
@SuppressWarnings("ImmutableEnumChecker") // Rules have no state.
enum BrokenRules {
  NO_WAITING_OUT(
      new Rules() {
        @Override
        boolean maySeeSilence(int quiet, int clock) {
          return true;
        }
      },
      "two work|the token"),
  WAIT_BY_THE_BACKUPS_CLOCK(
      new Rules() {
        @Override
        boolean maySeeSilence(int quiet, int clock) {
          return clock >= SmallPair.LEASE;
        }
      },
      "two work|the token"),
  MODE_LEASE_FROM_THE_ANSWER(
      new Rules() {
        @Override
        int leaseLeft(int age) {
          return SmallPair.LEASE;
        }
      },
      "two work"),
  PRIMARY_NOT_BOUNDED(
      new Rules() {
        @Override
        boolean boundsBelief() {
          return false;
        }
      },
      "two work"),
  NO_CEILING(
      new Rules() {
        @Override
        boolean admits(Tokens tokens, long token) {
          return true;
        }
      },
      "token"),
  RETURN_GRANTS_THE_NEXT(
      new Rules() {
        @Override
        boolean believesTheBackupAlone() {
          return true;
        }
      },
      "two work"),
  NAMES_WITHOUT_EPOCH(
      new Rules() {
        @Override
        boolean namesCarryTheirEpoch() {
          return false;
        }
      },
      "left behind"),
  CONFIRMS_BEFORE_THE_WORK_HAS_ENDED(
      new Rules() {
        @Override
        boolean confirmsEarly() {
          return true;
        }
      },
      "two work"),
  MARKS_ARE_NOT_READ(
      new Rules() {
        @Override
        boolean readsMarks() {
          return false;
        }
      },
      "the tick"),
  REPORTS_WHAT_IS_IN_DOUBT(
      new Rules() {
        @Override
        boolean reportsWhatIsInDoubt() {
          return true;
        }
      },
      "the tick"),
  VOTES_OF_ALL(
      new Rules() {
        @Override
        ModeMachine.Step apply(ModeRecord record, Change change) {
          boolean few = 2 * record.voters() <= SmallPair.NODES;
          return few && change instanceof Change.Switch
              ? new ModeMachine.Refused("most of all nodes that ever were do not vote for it")
              : super.apply(record, change);
        }
      },
      "stuck"),
  NO_SECOND_LOOK(
      new Rules() {
        @Override
        boolean looksAgain() {
          return false;
        }
      },
      "token"),
  ABORT_WITH_NEW_NAMES(
      new Rules() {
        @Override
        ModeMachine.Step apply(ModeRecord record, Change change) {
          ModeMachine.Step step = super.apply(record, change);
          return step instanceof ModeMachine.Changed changed
                  && record.mode() == Mode.LEAVING
                  && changed.record().mode() == Mode.PRIMARY
              ? new ModeMachine.Changed(
                  changed
                      .record()
                      .asking(Mode.PRIMARY, record.epoch() + 1, record.backupNames(), "abort"))
              : step;
        }
      },
      "two work"),
  COMPLETES_WITHOUT_THE_UNREADY(
      new Rules() {
        @Override
        ModeMachine.Step apply(ModeRecord record, Change change) {
          ModeMachine.Step step = super.apply(record, change);
          boolean confirmed = record.members().stream().allMatch(record::hasConfirmed);
          return change instanceof Change.Complete complete
                  && record.mode() == Mode.RETURNING
                  && confirmed
              ? new ModeMachine.Changed(
                  record.completed(Mode.PRIMARY, record.tokens().next(complete.raw())))
              : step;
        }
      },
      "two work");

  final Rules rules;

  /** What the violation says, one of these. */
  final String symptom;

  BrokenRules(Rules rules, String symptom) {
    this.rules = rules;
    this.symptom = symptom;
  }
}
