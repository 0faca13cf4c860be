package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.redis.port.RedisUrl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUrlTest {

  @Test
  void allPartsAreRead() {
    RedisUrl url =
        RedisUrl.parse("redis://al%40ice:p%40ss+word@[::1]:7000/3?prefix=app&timeout=250ms");

    assertThat(url.user()).isEqualTo("al@ice");
    assertThat(url.password()).isEqualTo("p@ss+word");
    assertThat(url.hosts()).containsExactly(new RedisUrl.Host("::1", 7000));
    assertThat(url.database()).isEqualTo(3);
    assertThat(RedisOptions.DEFAULT.with(url))
        .isEqualTo(
            RedisOptions.DEFAULT.withKeyPrefix("app").withCommandTimeout(Duration.ofMillis(250)));
    assertThat(url.toString()).isEqualTo("redis://[::1]:7000/3");
  }

  @Test
  void durationsAreWrittenAsInTheCommandsOptions() {
    RedisUrl url = RedisUrl.parse("redis://a?timeout=1s500ms&replicas=1&replicaTimeout=1m");

    assertThat(RedisOptions.DEFAULT.with(url).commandTimeout()).hasMillis(1_500);
    assertThat(RedisOptions.DEFAULT.with(url).replicaTimeout()).hasMinutes(1);
    assertThatThrownBy(() -> RedisStore.open("redis://a?timeout=PT1S"))
        .hasMessage("timeout: \"PT1S\" is no duration; write it like 500ms, 30s, 1m30s, 2h or 1d");
  }

  @Test
  void severalHostsHaveTheirOwnPorts() {
    assertThat(RedisUrl.parse("redis-sentinel://a,b:1/mymaster").hosts())
        .containsExactly(new RedisUrl.Host("a", 26379), new RedisUrl.Host("b", 1));
    assertThat(RedisUrl.parse("redlock://a,b:1").hosts())
        .containsExactly(new RedisUrl.Host("a", 6379), new RedisUrl.Host("b", 1));
  }

  @Test
  void aPasswordMayStandInAFile(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("secret"), "hidden\n");
    assertThat(RedisUrl.parse("redis://a?passwordFile=" + file).password()).isEqualTo("hidden");
    assertThatThrownBy(() -> RedisUrl.parse("redis://a?passwordFile=" + directory))
        .hasMessageContaining("cannot be read");
  }

  @Test
  void aPasswordMayStandInTheEnvironment() {
    assertThat(RedisUrl.parse("redis://a?passwordEnv=PATH").password())
        .isEqualTo(System.getenv("PATH"));
    assertThatThrownBy(() -> RedisUrl.parse("redis://a?passwordEnv=PAWL_NO_SUCH_VARIABLE"))
        .hasMessageContaining("PAWL_NO_SUCH_VARIABLE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:s3cret@",
        "redis://:s3cret@a:0",
        "redis://:s3cret",
        "redis://alice:s3cret",
        "redis://:hidden?s3cret@a",
        "redis://:hidden?s3cret=x@a",
        "redis://:%s3cret@a",
        "redis://:s3cret@a:99999",
        "redis://:s3cret@a?colour=red",
        "redis://:s3cret@a?timeout=soon",
        "redis://s3cret@a?passwordEnv=PATH",
        "redis://:s3cret@a?client=telnet",
        "redis://:s3cret@a?prefix={}",
        "redis://:s3cret@a/x",
        "redlock://:s3cret@a,b",
        "redlock://:s3cret@a,b,a:6379"
      })
  void aMalformedUrlIsRefusedWithoutItsSecret(String url) {
    assertThatThrownBy(
            () -> {
              if (url.startsWith("redlock")) {
                RedlockStore.open(url);
              } else {
                RedisStore.open(url);
              }
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://a?timout=3s | unknown parameter \"timout\"; did you mean timeout? Known are"
            + " client,",
        "redis://a?serverTimeout=3s | serverTimeout is for redlock:// and not for redis://",
        "redlock://a,b,c?timeout=3s | timeout is for redis-cluster://, redis-sentinel://, redis://",
        "redlock://a,b,c?replicas=1 | and not for redlock://",
        "redis-cluster://a?database=1 | and not for redis-cluster://",
        "redis-cluster://a/1 | nothing follows the hosts of a redis-cluster:// URL",
        "redlock://a,b,c/1 | a database is ?database=N",
        "redis-sentinel://a/m?tls=yes | tls is \"yes\"; allowed is true and false",
        "redis://a?tls | tls is \"\"; allowed is true and false",
        "redis://a?user=alice | a user needs a password",
        "redis://alice@a?passwordFile=f | the user of the latter as user=",
        "redis://:secret@a?passwordEnv=E | there is a password before the @, and one by parameter",
        "redis://a?passwordFile=f&passwordEnv=E | one of passwordFile and passwordEnv is enough",
        "redis://alice:secret@a?user=bob | the user is given twice",
        "redis://a/3?database=2 | the database is given twice",
        "redis://a?timeout=1s&timeout=2s | timeout is given twice",
        "rediss://a?tls=false | rediss:// has TLS",
        "redis-sentinel://a/m?sentinelUser=alice | sentinelUser needs a password",
        "redis://a?timeout=2h | commandTimeout is 2h; allowed is 10ms to 1m",
        "redlock://a,b,c?serverTimeout=2h | serverTimeout is 2h; allowed is 5ms to 10s"
      })
  void nothingInAUrlIsIgnored(String url, String message) {
    assertThatThrownBy(
            () -> {
              if (url.startsWith("redlock")) {
                RedlockStore.open(url);
              } else {
                RedisStore.open(url);
              }
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
