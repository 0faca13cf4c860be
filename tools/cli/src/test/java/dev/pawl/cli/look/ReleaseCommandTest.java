package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ReleaseCommandTest {

  @Test
  void behindSudoTheOperatorIsThePerson() {
    assertThat(ReleaseCommand.operator(Map.of("SUDO_USER", "anna", "USER", "root")))
        .startsWith("anna@");
    assertThat(ReleaseCommand.operator(Map.of("USER", "ben"))).startsWith("ben@");
    assertThat(ReleaseCommand.operator(Map.of())).startsWith(System.getProperty("user.name") + "@");
  }
}
