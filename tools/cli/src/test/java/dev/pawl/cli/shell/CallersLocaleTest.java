package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallersLocaleTest {

  @Test
  void aCommandGetsTheLocaleOfTheCaller() {
    assertThat(restored(Map.of("LC_ALL", "C.UTF-8", "PAWL_LC_ALL", "C", "LANG", "C")))
        .isEqualTo(Map.of("LC_ALL", "C", "LANG", "C"));
    assertThat(restored(Map.of("LC_ALL", "C.UTF-8", "PAWL_LC_ALL", ""))).isEmpty();
  }

  @Test
  void aLocaleThatWasNotReplacedStays() {
    assertThat(restored(Map.of("LC_ALL", "de_DE.UTF-8")))
        .isEqualTo(Map.of("LC_ALL", "de_DE.UTF-8"));
  }

  private static Map<String, String> restored(Map<String, String> environment) {
    Map<String, String> copy = new HashMap<>(environment);
    CallersLocale.restore(copy);
    return copy;
  }
}
