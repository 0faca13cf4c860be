package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.connect.Secrets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlTest {

  @Test
  void pawlsParametersAreTakenOutOfTheUrl() {
    JdbcUrl first =
        JdbcUrl.parse(
            "jdbc:postgresql://h/db?pawl.strategy=row-lock&user=u&pawl.poolSize=3&ssl=true",
            JdbcOptions.DEFAULT);
    assertThat(first.jdbc()).isEqualTo("jdbc:postgresql://h/db?user=u&ssl=true");
    assertThat(first.options().strategy()).isEqualTo(JdbcStrategy.ROW_LOCK);
    assertThat(first.options().poolSize()).isEqualTo(3);

    JdbcUrl h2 = JdbcUrl.parse("jdbc:h2:mem:x;pawl.prefix=p_;MODE=MySQL", JdbcOptions.DEFAULT);
    assertThat(h2.jdbc()).isEqualTo("jdbc:h2:mem:x;MODE=MySQL");
    assertThat(h2.options().prefix()).isEqualTo("p_");

    JdbcUrl sqlite = JdbcUrl.parse("sqlite:a/b.db?pawl.retention=2h", JdbcOptions.DEFAULT);
    assertThat(sqlite.jdbc()).isEqualTo("jdbc:sqlite:a/b.db");
    assertThat(sqlite.options().retention()).isEqualTo(Duration.ofHours(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pawl.strategy=best",
        "pawl.prefix=a%3Bdrop",
        "pawl.prefix=a b",
        "pawl.schema=x.y",
        "pawl.schema=1x",
        "pawl.retention=soon",
        "pawl.poolSize=0",
        "pawl.poolSize=many",
        "pawl.createSchema=maybe",
        "pawl.timeout=0s",
        "pawl.unknown=1"
      })
  void whatIsNotAllowedIsRefused(String parameter) {
    assertThatThrownBy(
            () -> JdbcUrl.parse("jdbc:postgresql://h/db?" + parameter, JdbcOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(parameter.substring(5, parameter.indexOf('=')));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "pawl.create-schema=false | did you mean pawl.createSchema?",
        "pawl.jdbc.timeout=3s | unknown parameter \"pawl.jdbc.timeout\"; known are pawl.",
        "Pawl.timout=3s | did you mean pawl.timeout?",
        "pawl.createSchema | pawl.createSchema is \"\"; allowed is true or false",
        "user=u&createSchema=false | createSchema is no parameter of the driver; Pawl's own are",
        "strategy=row-lock | written pawl.createSchema,",
        "timeout=3s | timeout is no parameter of the driver",
        "pawl.timeout=3s&pawl.poolSize=3&pawl.timeout=4s | pawl.timeout is given twice",
        "pawl.timeout=2h | timeout is 2h; allowed is 100ms to 1m"
      })
  void noParameterThatIsMeantForPawlIsLeftToADriverThatIgnoresIt(
      String parameters, String message) {
    for (String url : List.of("jdbc:postgresql://h/db?", "jdbc:mysql://h/db?", "sqlite:l.db?")) {
      assertThatThrownBy(() -> JdbcUrl.parse(url + parameters, JdbcOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(message);
    }
  }

  @Test
  void parametersOfTheDriverAreLeftToIt() {
    String url =
        "jdbc:postgresql://h/db?connectTimeout=3&currentSchema=timeout&options=-c%20search_path=strategy";
    assertThat(JdbcUrl.parse(url, JdbcOptions.DEFAULT).jdbc()).isEqualTo(url);
    String h2 = "jdbc:h2:mem:x;SCHEMA=APP;LOCK_TIMEOUT=100";
    assertThat(JdbcUrl.parse(h2, JdbcOptions.DEFAULT).jdbc()).isEqualTo(h2);
  }

  @Test
  void aMissingDriverIsNamedWithItsCoordinates() {
    assertThatThrownBy(
            () -> Databases.source("jdbc:missing://h/db", SqlDatabase.MYSQL, JdbcOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("com.mysql:mysql-connector-j");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:1/db?user=u&password=hunter2&pawl.timeout=500ms",
        "jdbc:mariadb://127.0.0.1:1/db?user=u&password=hunter2&pawl.timeout=500ms",
        "jdbc:mysql://u:hunter2@127.0.0.1:1/db?pawl.timeout=500ms",
        "jdbc:postgresql://u:hunter2@127.0.0.1:1/db?pawl.timeout=500ms",
        "jdbc:postgresql://u:hunter2/x@127.0.0.1:1/db?pawl.timeout=500ms",
        "jdbc:mariadb://u:hunter2@127.0.0.1:1/db?pawl.timeout=500ms",
        "jdbc:mysql://u:hunter2@127.0.0.1:99999/db",
        "jdbc:oracle:thin:u/hunter2@//h",
        "jdbc:postgresql://127.0.0.1:1/db?password=hunter2&pawl.strategy=none"
      })
  void aPasswordIsNeverShown(String url) {
    assertThatThrownBy(() -> Pawl.connect(url))
        .satisfies(
            e -> {
              for (Throwable each = e; each != null; each = each.getCause()) {
                assertThat(each.toString()).doesNotContain("hunter2");
              }
            });
    assertThat(Secrets.hide("ssl_key=abc;PASSWORD = hunter2, x")).doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:postgresql:", "jdbc:mariadb:"})
  void aUserBeforeTheHostIsRefusedWithTheRightForm(String scheme) {
    assertThatThrownBy(() -> Pawl.connect(scheme + "//u:hunter2@h/db"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(scheme + "//host/db?user=…&password=…");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://h:99999/db",
        "jdbc:postgresql://a:5432,h:99999/db",
        "jdbc:mariadb://h:99999/db",
        "jdbc:mysql://h:99999/db",
        "jdbc:h2:tcp://h:99999/db"
      })
  void aPortOutOfRangeIsNoMissingDriver(String url) {
    assertThatThrownBy(() -> Pawl.connect(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("port 99999 is out of range; allowed is 1 to 65535");
  }

  @Test
  void aUrlThatItsDriverDoesNotUnderstandIsNoMissingDriver() {
    assertThatThrownBy(() -> Pawl.connect("jdbc:postgresql://h:54x/db?password=hunter2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:postgresql://host:port/db?user=…&password=…")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void anUnknownHostIsNamed() {
    assertThatThrownBy(() -> Pawl.connect("jdbc:postgresql://no-such-host.invalid/db?user=u"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("unknown host no-such-host.invalid");
  }

  @Test
  void aSqliteFileThatMustNotBeWrittenSaysSo(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("locks.db");
    JdbcStore.open("sqlite:" + file).close();
    assertThatThrownBy(
            () -> Pawl.connect("jdbc:sqlite:file:" + file + "?mode=ro").lock("x").tryAcquire())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("READONLY")
        .hasMessageContaining("its directory must be there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:h2:mem:", "jdbc:h2:mem:;DB_CLOSE_DELAY=-1"})
  void aDatabaseInMemoryWithoutANameIsRefusedForH2(String url) {
    assertThatThrownBy(() -> JdbcStore.open(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:h2:mem:NAME");
  }

  @Test
  void aDatabaseInMemoryIsRefusedForSqlite() {
    assertThatThrownBy(() -> JdbcStore.open("sqlite::memory:"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memory:");
  }
}
