package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

  @ParameterizedTest
  @CsvSource({
    "redis://:one@host, one",
    "redis://user:one@host:6379/2, one",
    "redis://one@host, one",
    "redis://:a/b?c@host, a/b?c",
    "redis://:a%40b@host, a@b",
    "jdbc:postgresql://u:one@host/db, one",
    "jdbc:postgresql://host/db?user=u&password=one&ssl=true, one",
    "jdbc:h2:tcp://host/db;USER=sa;PASSWORD=one, one",
    "jdbc:mariadb://host/db?user=u&password=o%20ne, o ne",
  })
  void aSecretIsFound(String url, String secret) {
    assertThat(Secrets.of(url)).contains(secret);
  }

  @Test
  void eachOfSeveralHostsMayHaveItsOwn() {
    assertThat(Secrets.of("redlock://:one@a:1,:two@b:2,u:three@c:3"))
        .contains("one", "two", "three");
  }

  @Test
  void bothStoresOfAPairMayHaveOne() {
    String pair = "redis://:one@cache:6379 | jdbc:postgresql://db/app?user=u&password=two";
    assertThat(Secrets.of(pair)).containsExactlyInAnyOrder("one", "two");
    Secrets.hide(pair);
    assertThat(Secrets.redact("cannot open " + pair))
        .isEqualTo(
            "cannot open redis://:***@cache:6379 | jdbc:postgresql://db/app?user=u&password=***");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sqlite:/var/lib/locks.db",
        "redis://host:6379/1?timeout=3s",
        "redlock://a,b,c",
        "hazelcast://cluster@h1:5701,h2:5701",
        "jdbc:postgresql://host/db?user=u&pawl.prefix=locks_",
        "memory:",
        "redis://host?user=u&passwordFile=/run/secrets/redis",
        "redis-sentinel://host/m?passwordEnv=REDIS_PASSWORD&sentinelPasswordFile=/run/s",
        "zk://host?tls=true&trustStore=/etc/t.p12&trustStorePasswordFile=/run/secrets/t",
        "redis://cache | jdbc:postgresql://db/app?user=u",
      })
  void manyUrlsHaveNone(String url) {
    assertThat(Secrets.of(url)).isEmpty();
  }

  @Test
  void whatIsHiddenIsNotPrinted() {
    Secrets.hide("redis://:hunter2@host");
    assertThat(Secrets.redact("no connection to redis://:hunter2@host"))
        .isEqualTo("no connection to redis://:***@host");
  }

  @Test
  void aShortOneIsNotToldByGapsInOtherWords() {
    Secrets.hide("redis://:7q@host");
    assertThat(Secrets.redact("token 17q5 of redis://:7q@host"))
        .isEqualTo("token 17q5 of redis://:***@host");
  }
}
