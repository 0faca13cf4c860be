package dev.pawl.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProvidersTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "zk://h;add the module pawl-zookeeper",
        "redis://:s3cret@h;add the module pawl-redis",
        "redlock://a,b,c;add the module pawl-redis",
        "sqlite:locks.db;add the module pawl-jdbc",
        "jdbc:oracle:thin:u/s3cret@h;add the module pawl-jdbc",
        "hazelcast://h;add the module pawl-hazelcast",
      })
  void aModuleThatIsMissingIsNamed(String url, String message) {
    refused(url, message);
  }

  @Test
  void whereTheModuleIsThereTheFormIsShown() {
    String form = "redis[s]://HOST, redis-cluster://HOST,…";
    assertThat(Providers.refusal("redis:localhost", List.of("memory:", form)))
        .isEqualTo("no store opens \"redis:\" URLs; there are stores for memory:, " + form);
  }

  @ParameterizedTest
  @CsvSource({
    "reddis://:s3cret@h,did you mean redis:?",
    "redis_cluster://h,did you mean redis-cluster:?",
    "postgresql://u:s3cret@h/db,did you mean jdbc:postgresql:?",
    "postgres://h/db,did you mean jdbc:postgresql:?",
    "mysql://h/db,did you mean jdbc:mysql:?",
    "zookeeper://h,did you mean zk:?",
    "memroy:,did you mean memory:?",
    "localhost:6379,no store opens \"localhost:\" URLs; there are stores for memory:",
    "locks.db,no store opens a URL without a scheme; there are stores for memory:"
  })
  void theSchemeThatWasProbablyMeantIsNamed(String url, String message) {
    refused(url, message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory:|memory:", "memory: |memory:", "memory:x| memory:y"})
  void aPairWithoutSpacesIsNotTakenForOneStore(String url) {
    assertThatThrownBy(() -> Pawl.connect(url).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("with a space on each side of the bar: PRIMARY | BACKUP");
  }

  private static void refused(String url, String message) {
    assertThat(Providers.refusal(url, List.of("memory:")))
        .contains(message)
        .doesNotContain("s3cret");
  }
}
