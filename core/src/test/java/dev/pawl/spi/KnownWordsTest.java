package dev.pawl.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KnownWordsTest {

  private static final Set<String> KNOWN = Set.of("timeout", "prefix", "createSchema", "tls", "zk");

  @ParameterizedTest
  @CsvSource({
    "timout,timeout",
    "tiemout,timeout",
    "TimeOut,timeout",
    "prefx,prefix",
    "create-schema,createSchema",
    "create_schemas,createSchema",
    "tsl,tls",
    "zkk,zk"
  })
  void theOneThatWasProbablyMeantIsNamed(String word, String meant) {
    assertThat(KnownWords.nearest(word, KNOWN)).contains(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "colour", "ssl-mode", "x", "time", "timeoutOfTheServer"})
  void nothingIsSuggestedForWhatIsFarFromAll(String word) {
    assertThat(KnownWords.nearest(word, KNOWN)).isEmpty();
  }

  @Test
  void whatIsKnownIsListedInOrder() {
    assertThat(KnownWords.unknown("parameter", "timout", KNOWN))
        .isEqualTo(
            "unknown parameter \"timout\"; did you mean timeout?"
                + " Known are createSchema, prefix, timeout, tls, zk");
    assertThat(KnownWords.unknown("parameter", "colour", KNOWN))
        .isEqualTo(
            "unknown parameter \"colour\"; known are createSchema, prefix, timeout, tls, zk");
  }
}
