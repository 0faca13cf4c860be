package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HazelcastUrlTest {

  @Test
  void allPartsAreRead() {
    HazelcastUrl url =
        HazelcastUrl.parse("hazelcast://my%20cluster@h1,h2:5702,[::1]:9?prefix=app&timeout=250ms");

    assertThat(url.cluster()).isEqualTo("my cluster");
    assertThat(url.hosts()).containsExactly("h1:5701", "h2:5702", "[::1]:9");
    HazelcastOptions options = url.options(HazelcastOptions.DEFAULT);
    assertThat(options.prefix()).isEqualTo("app");
    assertThat(options.timeout()).isEqualTo(Duration.ofMillis(250));
    assertThat(options.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void theClusterIsCalledDevAsHazelcastCallsIt() {
    assertThat(HazelcastUrl.parse("hazelcast://h1")).hasToString("hazelcast://dev@h1:5701");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hazelcast:h1 | begins with hazelcast://",
        "hazelcast:// | a host is missing",
        "hazelcast://h1,,h2 | a host is missing",
        "hazelcast://@h1 | the name of the cluster before the @ is missing",
        "hazelcast://h1:0 | a port is \"0\"; allowed is 1 to 65535",
        "hazelcast://h1:x | a port is \"x\"",
        "hazelcast://h1:5701/dev | the cluster stands before them",
        "hazelcast://h1?timout=3s | unknown parameter \"timout\"; did you mean timeout? Known are connectTimeout,",
        "hazelcast://h1?timeout=3 | timeout: \"3\" is no duration",
        "hazelcast://h1?timeout=3s&timeout=4s | timeout is given twice",
        "hazelcast://h1?timeout=2h | timeout is 2h; allowed is 10ms to 1m",
        "hazelcast://h1?prefix=a.b | prefix is \"a.b\"; allowed are",
        "hazelcast://100%@h1 | a % has no two hexadecimal digits",
      })
  void whatIsWrongIsSaid(String url, String message) {
    assertThatThrownBy(() -> HazelcastUrl.parse(url).options(HazelcastOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
