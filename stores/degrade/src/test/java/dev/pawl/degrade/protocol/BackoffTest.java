package dev.pawl.degrade.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The time until the locks return, which all nodes share by the record. */
class BackoffTest {

  private static final Stores STORES = new Stores("p", "b");
  private static final long SECOND = 1_000_000_000L;
  private static final long LEASE = 60 * SECOND;

  private ModeRecord record = ModeRecord.first(STORES);

  private void apply(Change change) {
    record = ((ModeMachine.Changed) ModeMachine.apply(record, change)).record();
  }

  private void beat(Sight sight) {
    apply(new Change.Beat("a", record.epoch(), true, sight, 0));
  }

  private void thereAndBack() {
    beat(Sight.DEAD);
    apply(new Change.Switch(record.epoch(), Set.of("a"), "dead"));
    beat(Sight.DEAD);
    apply(new Change.Complete(record.epoch(), 1));
    beat(Sight.WELL);
    apply(new Change.Return(record.epoch(), Set.of("a"), "well"));
    beat(Sight.WELL);
    apply(new Change.Complete(record.epoch(), 1));
  }

  private static Optional<Change> next(Warden warden, long now) {
    return warden.next(true, true, Sight.WELL, 0, 30 * SECOND, OptionalLong.empty(), now);
  }

  @Test
  void itGrowsWithEachSwitchAndIsCapped() {
    apply(new Change.Join("a", true, STORES));
    assertThat(record.switches()).isZero();
    for (int i = 1; i <= 3; i++) {
      thereAndBack();
      assertThat(record.switches()).isEqualTo(i);
    }
    assertThat(Backoff.nanos(1, 30 * SECOND, 1_800 * SECOND)).isEqualTo(30 * SECOND);
    assertThat(Backoff.nanos(3, 30 * SECOND, 1_800 * SECOND)).isEqualTo(120 * SECOND);
    for (int i = 0; i < 30; i++) {
      thereAndBack();
    }
    assertThat(record.switches()).isEqualTo(20);
    assertThat(Backoff.nanos(20, 30 * SECOND, 1_800 * SECOND)).isEqualTo(1_800 * SECOND);
  }

  @Test
  void aPersonsSwitchDoesNotCount() {
    apply(new Change.Join("a", true, STORES));
    apply(new Change.Force(record.epoch(), true, "a trial"));
    assertThat(record.switches()).isZero();
  }

  @Test
  void whoStoodStillHasNotSeenThePrimaryWellMeanwhile() {
    apply(new Change.Join("a", true, STORES));
    beat(Sight.DEAD);
    apply(new Change.Switch(record.epoch(), Set.of("a"), "dead"));
    beat(Sight.DEAD);
    apply(new Change.Complete(record.epoch(), 1));
    Warden warden = new Warden("a", true, STORES, LEASE);
    warden.onRead(record, 0);
    for (long now = 0; now < 25 * SECOND; now += SECOND) {
      goOn(warden, now);
    }
    assertThat(record.mode()).isEqualTo(Mode.BACKUP);
    long woken = 300 * SECOND;
    long now = woken;
    while (record.mode() == Mode.BACKUP) {
      now += SECOND;
      goOn(warden, now);
    }
    assertThat(now - woken).isGreaterThanOrEqualTo(30 * SECOND);
  }

  private void goOn(Warden warden, long now) {
    Optional<Change> change = next(warden, now);
    if (change.isPresent()) {
      apply(change.get());
      warden.onChanged(change.get(), record, now, now);
    } else {
      warden.onRead(record, now);
    }
  }

  @Test
  void anHourWithoutAChangeOfTheModeTakesOneOffAndOnlyOne() {
    apply(new Change.Join("a", true, STORES));
    thereAndBack();
    thereAndBack();
    Warden first = new Warden("a", true, STORES, LEASE);
    Warden second = new Warden("b", true, STORES, LEASE);
    apply(new Change.Join("b", true, STORES));
    List<Long> calm = new ArrayList<>();
    for (long now = 0; now <= 5_000 * SECOND; now += 10 * SECOND) {
      for (Warden warden : List.of(first, second)) {
        warden.onRead(record, now);
        Optional<Change> change = next(warden, now);
        if (change.isPresent()) {
          apply(change.get());
          warden.onChanged(change.get(), record, now, now);
        }
        if (change.isPresent() && change.get() instanceof Change.Calm) {
          calm.add(now / SECOND);
        }
      }
    }
    assertThat(calm).singleElement().satisfies(at -> assertThat(at).isBetween(3_600L, 3_660L));
    assertThat(record.switches()).isEqualTo(1);
  }
}
