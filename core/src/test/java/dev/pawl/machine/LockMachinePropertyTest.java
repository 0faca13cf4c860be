package dev.pawl.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Shows that I1, I3, I4, I5 and I7 hold and no waiter is lost after every step of thousands of
 * random command sequences; {@code -Dpawl.seeds=N} runs more of them, {@code -Dpawl.seed=S} one.
 */
@Tag("safety")
class LockMachinePropertyTest {

  private static final int LENGTH = 60;

  @Test
  void everyRandomSequenceKeepsEveryRule() {
    Long one = Long.getLong("pawl.seed");
    long from = one == null ? 0 : one;
    long to = one == null ? Long.getLong("pawl.seeds", 20_000) : one + 1;
    Search search = new Search(Machine.REAL, LENGTH);
    for (long seed = from; seed < to; seed++) {
      search.seed(seed).ifPresent(failure -> fail(failure.report()));
    }
    System.out.printf(
        "lock machine: %,d random sequences, %,d commands, %,d grants, %,d bid show life%n",
        to - from, search.turns(), search.grants(), search.summons());
    // Sequences that grant next to nothing would show next to nothing.
    assertThat(search.grants()).isGreaterThan(one == null ? 5 * (to - from) : -1);
    assertThat(search.summons()).isGreaterThan(one == null ? (to - from) / 50 : -1);
  }
}
