package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfirmationTest {

  @Test
  void behindSudoTheOperatorIsThePerson() {
    assertThat(Confirmation.operator(Map.of("SUDO_USER", "anna", "USER", "root")))
        .startsWith("anna@");
    assertThat(Confirmation.operator(Map.of("USER", "ben"))).startsWith("ben@");
    assertThat(Confirmation.operator(Map.of())).startsWith(System.getProperty("user.name") + "@");
  }
}
