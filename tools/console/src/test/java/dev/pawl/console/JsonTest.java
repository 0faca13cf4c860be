package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.console.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  void valuesOfEveryKind() {
    assertThat(
            Json.of(
                Json.object(
                    "name",
                    "a",
                    "token",
                    Long.MAX_VALUE,
                    "held",
                    true,
                    "left",
                    Duration.ofMillis(1_500),
                    "since",
                    Instant.EPOCH,
                    "by",
                    Optional.empty(),
                    "mark",
                    OptionalLong.of(7),
                    "none",
                    null,
                    "all",
                    List.of(1, List.of(), Map.of()))))
        .isEqualTo(
            "{\"name\":\"a\",\"token\":9223372036854775807,\"held\":true,\"left\":1.5,"
                + "\"since\":\"1970-01-01T00:00:00Z\",\"by\":null,\"mark\":7,\"none\":null,"
                + "\"all\":[1,[],{}]}");
  }

  @Test
  void hostileStringsStayStrings() {
    assertThat(Json.of("\"\\\n\t\u0000\u007f é 😀 \ud800"))
        .isEqualTo("\"\\\"\\\\\\n\\t\\u0000\\u007f é 😀 \\ud800\"");
  }

  @Test
  void forBrowsersItIsNeverMarkup() {
    assertThat(Json.forBrowsers("</script>&\u2028é"))
        .isEqualTo("\"\\u003c/script\\u003e\\u0026\\u2028é\"");
    assertThat(Json.of("</script>&")).isEqualTo("\"</script>&\"");
  }

  @Test
  void whatHasNoJsonIsABug() {
    assertThatThrownBy(() -> Json.of(new Object())).hasMessageContaining("no JSON");
  }
}
