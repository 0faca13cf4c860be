package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.memory.MemoryStore;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The marks of jobs in the backup, and what a node remembers of them. */
class MarksTest {

  private final Side backup =
      Side.ofBackup(new Surroundings(() -> 0, (delay, task) -> {}, Runnable::run, () -> {}), 16);
  private final Marks marks = new Marks(backup);

  MarksTest() {
    backup.onOpened(new MemoryStore());
  }

  private OptionalLong read(String name) {
    return marks.read(name, 1).toCompletableFuture().join();
  }

  @Test
  void jobsWhoseNamesNeverComeAgainFillNoMemory() {
    var raised = marks.raise("job:first", 1, 42).toCompletableFuture().join();
    assertThat(raised.isNew()).isTrue();
    for (int i = 0; i <= 2 * Marks.MOST_KNOWN; i++) {
      assertThat(read("job:report-" + i)).isEmpty();
      assertThat(marks.isRead("job:report-" + i, 1, 1)).isTrue();
    }
    assertThat(marks.known()).isLessThanOrEqualTo(Marks.MOST_KNOWN);
    assertThat(read("job:first")).hasValue(42);
    assertThat(marks.isRead("job:first", 1, 42)).isFalse();
  }
}
