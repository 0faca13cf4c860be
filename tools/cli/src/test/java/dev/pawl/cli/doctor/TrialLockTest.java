package dev.pawl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.spi.Finding.Level;
import org.junit.jupiter.api.Test;

class TrialLockTest {

  @Test
  void aLockIsTakenTwice() throws Exception {
    try (Pawl pawl = Pawl.connect("memory:")) {
      assertThat(TrialLock.takeTwice(pawl).level()).isEqualTo(Level.FINE);
    }
  }
}
