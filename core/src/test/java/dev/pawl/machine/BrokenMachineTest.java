package dev.pawl.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.Search.Failure;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shows that the random search notices every broken machine, by few seeds and in few steps. */
class BrokenMachineTest {

  @ParameterizedTest
  @EnumSource(BrokenMachine.class)
  void everyBrokenMachineIsCaughtWithAShortSequence(BrokenMachine broken) {
    Search search = new Search(broken, 60);
    Failure failure =
        LongStream.range(0, 500)
            .mapToObj(search::seed)
            .flatMap(Optional::stream)
            .filter(found -> found.violation().rule() == broken.breaks())
            .findFirst()
            .orElseThrow(() -> new AssertionError(broken + " was not noticed"));
    assertThat(failure.events()).as(failure.report()).hasSizeLessThanOrEqualTo(6);
    assertThat(failure.report()).contains("-Dpawl.seed=" + failure.seed());
  }
}
