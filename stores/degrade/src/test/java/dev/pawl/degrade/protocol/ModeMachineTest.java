package dev.pawl.degrade.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The changes one by one, as a person would try them. */
@Tag("safety")
class ModeMachineTest {

  private static final Stores STORES = new Stores("redis at cache", "PostgreSQL at db");
  private static final long LEASE = 60_000_000_000L;

  private ModeRecord record = ModeRecord.first(STORES);

  @ParameterizedTest
  @CsvSource({
    // nodes, of which see it dead, is it left?
    "1, 1, true",
    "2, 1, false",
    "2, 2, true",
    "3, 1, false",
    "3, 2, true",
    "4, 2, false",
    "4, 3, true",
  })
  void thePrimaryIsLeftWhenMostOfTheNodesSeeItDead(int nodes, int dead, boolean left) {
    join(nodes);
    for (int i = 0; i < dead; i++) {
      beat("n" + i, Sight.DEAD);
    }
    assertThat(make(new Change.Switch(1, all(), "")) == null).isEqualTo(left);
  }

  @Test
  void votesThatAreTooOldDoNotCount() {
    join(3);
    beat("n0", Sight.DEAD);
    beat("n1", Sight.DEAD);
    assertThat(make(new Change.Switch(1, Set.of("n1"), ""))).contains("do not see");
    assertThat(make(new Change.Switch(1, Set.of("n0", "n1"), ""))).isNull();
  }

  @Test
  void aShortLivedProcessHasNoVoteAndIsWaitedForAllTheSame() {
    join(1);
    make(new Change.Join("command", false, STORES));
    beat("n0", Sight.DEAD);
    assertThat(make(new Change.Switch(1, all(), ""))).isNull();
    beat("n0", Sight.DEAD);
    assertThat(make(new Change.Complete(2, 0))).contains("has not confirmed");
    beat("command", Sight.WELL);
    assertThat(make(new Change.Complete(2, 0))).isNull();
    assertThat(record.mode()).isEqualTo(Mode.BACKUP);
  }

  @Test
  void thePrimaryIsReturnedToWhenAllNodesSeeItWell() {
    leave();
    beat("n0", Sight.WELL);
    beat("n1", Sight.DEAD);
    assertThat(make(new Change.Return(record.epoch(), all(), ""))).contains("not all");
    beat("n1", Sight.WELL);
    assertThat(make(new Change.Return(record.epoch(), all(), ""))).isNull();
  }

  @Test
  void aBackupThatAPersonChoseIsLeftByAPersonOnly() {
    join(1);
    assertThat(make(new Change.Force(1, true, "maintenance"))).isNull();
    assertThat(make(new Change.Abort(2, all(), ""))).isNotNull();
    beat("n0", Sight.WELL);
    make(new Change.Complete(2, 0));
    assertThat(make(new Change.Return(3, all(), ""))).contains("a person");
    assertThat(make(new Change.Force(3, false, "done"))).isNull();
    assertThat(record.mode()).isEqualTo(Mode.RETURNING);
  }

  @Test
  void aReturnIsAbortedAtOnceAndBeginsWithOtherNames() {
    leave();
    long backupNames = record.backupNames();
    make(new Change.Force(record.epoch(), false, ""));
    long names = record.primaryNames();
    make(new Change.Force(record.epoch(), true, ""));
    assertThat(record.mode()).isEqualTo(Mode.BACKUP);
    make(new Change.Force(record.epoch(), false, ""));
    assertThat(record.primaryNames()).isGreaterThan(names);
    assertThat(record.backupNames()).isEqualTo(backupNames);
  }

  @Test
  void aNodeThatWasHeardOfAgainStaysOnTheList() {
    join(2);
    long before = record.member("n0").orElseThrow().beat();
    beat("n0", Sight.WELL);
    assertThat(make(new Change.Expel("n0", before))).contains("heard of again");
  }

  @Test
  void aNodeThatComesBackNeverHasABeatThatItHadBefore() {
    join(1);
    Set<Long> beats = new TreeSet<>();
    for (int i = 0; i < 5; i++) {
      long beat = record.member("n0").orElseThrow().beat();
      assertThat(beats.add(beat)).isTrue();
      make(new Change.Expel("n0", beat));
      make(new Change.Join("n0", true, STORES));
    }
  }

  @Test
  void aStoreThatNodesKnowByTwoAddressesIsOneStore() {
    Stores first = new Stores("id-1 redis at cache", "id-2 PostgreSQL at db", 60_000);
    Stores second = new Stores("id-1 redis at 10.0.0.7", "id-2 PostgreSQL at db", 60_000);
    ModeRecord listed = joined(ModeRecord.first(first), "n0", first);
    assertThat(joined(listed, "n1", second).members()).hasSize(2);
    assertThat(joined(listed, "n1", second).stores()).isEqualTo(first);
    Stores other = new Stores("id-3 redis at cache", "id-2 PostgreSQL at db", 60_000);
    assertThat(ModeMachine.apply(listed, new Change.Join("n1", true, other)))
        .isInstanceOf(ModeMachine.Refused.class);
    Stores nameless = new Stores("- redlock at a", "id-2 PostgreSQL at db", 60_000);
    assertThat(ModeMachine.apply(listed, new Change.Join("n1", true, nameless)))
        .isInstanceOf(ModeMachine.Refused.class);
  }

  private static ModeRecord joined(ModeRecord record, String node, Stores stores) {
    return ((ModeMachine.Changed) ModeMachine.apply(record, new Change.Join(node, true, stores)))
        .record();
  }

  @Test
  void aNodeThatWasConfiguredWithOtherStoresIsRefused() {
    assertThat(make(new Change.Join("n0", true, new Stores("redis at cache", "MariaDB at db"))))
        .contains("PostgreSQL at db")
        .contains("MariaDB at db")
        .contains("the same two stores");
  }

  @ParameterizedTest
  @CsvSource({
    "0", // A backup whose clock is far behind.
    "1700000000000000", // One whose clock is the same.
    "1700000600000000", // Ten minutes ahead.
    "4611686018427387904" // ZooKeeper's tokens, high above any clock.
  })
  void tokensRiseWhateverTheOtherStoreCounts(long raw) {
    Tokens before = new Tokens(0, 0, 1_700_000_000_000_000L);
    Tokens after = before.next(raw);
    assertThat(raw + after.offset()).isGreaterThan(before.ceiling());
    assertThat(after.admits(raw + after.offset(), raw + after.offset() + 64)).isTrue();
    assertThat(after.admits(before.ceiling(), before.ceiling())).isFalse();
  }

  @Test
  void aModeLeaseCountsFromBeforeItWasSentAndEndsBeforeItIsWaitedOut() {
    join(1);
    Standing standing = Standing.NONE.renewed(record, 1_000, LEASE);
    Silence silence = new Silence();
    silence.onRecord(record, 1_000); // Nobody sees the beat earlier than that.
    long end = 1_000 + LEASE;
    assertThat(standing.lastsAt(1_000)).isTrue();
    assertThat(standing.lastsAt(end)).isFalse();
    assertThat(silence.silent(LEASE, end)).isEmpty();
    assertThat(silence.silent(LEASE, end + LEASE / 10)).isPresent();
  }

  @Test
  void whoeverBeginsToWatchStartsTheWaitAgain() {
    join(1);
    Silence silence = new Silence();
    silence.onRecord(record, 50 * LEASE);
    assertThat(silence.silent(LEASE, 51 * LEASE)).isEmpty();
    beat("n0", Sight.WELL);
    silence.onRecord(record, 51 * LEASE);
    assertThat(silence.silent(LEASE, 52 * LEASE)).isEmpty();
  }

  @Test
  void aBackupThatHasForgottenIsNotBelieved() {
    ModeRecord old = record;
    leave();
    Standing standing = Standing.NONE.renewed(record, 0, LEASE);
    assertThat(standing.isForgotten(old)).isTrue();
    assertThat(standing.read(old)).isEqualTo(standing);
    assertThat(standing.renewed(old, LEASE, LEASE)).isEqualTo(standing);
    assertThat(standing.believes(new Footing(1, 0), 1)).isFalse();
    assertThat(standing.believes(new Footing(0, 2), 1)).isTrue();
  }

  private void leave() {
    join(2);
    make(new Change.Force(1, true, ""));
    beat("n0", Sight.DEAD);
    beat("n1", Sight.DEAD);
    make(new Change.Complete(2, 0));
    record = record.pinned(false);
    assertThat(record.mode()).isEqualTo(Mode.BACKUP);
  }

  private void join(int nodes) {
    for (int i = 0; i < nodes; i++) {
      make(new Change.Join("n" + i, true, STORES));
    }
  }

  private void beat(String node, Sight sight) {
    assertThat(make(new Change.Beat(node, record.epoch(), true, sight, 0))).isNull();
  }

  private Set<String> all() {
    return Set.of("n0", "n1", "n2", "n3");
  }

  /** Makes a change; returns why not if it is refused. */
  private String make(Change change) {
    if (ModeMachine.apply(record, change) instanceof ModeMachine.Changed changed) {
      record = changed.record();
      return null;
    }
    return ((ModeMachine.Refused) ModeMachine.apply(record, change)).reason();
  }
}
