package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs as an operator meets them on a bad day: ticks that failed, and ticks in the future. */
class JobResetProcessTest {

  private final Instant tick = Instant.now().truncatedTo(ChronoUnit.HOURS);
  private final Instant ahead = tick.plus(20, ChronoUnit.HOURS);

  @TempDir private static Path directory;
  private static RedisServer redis;
  private static int databases;

  @BeforeAll
  static void startRedis() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  static Stream<String> stores() {
    databases++;
    return Stream.of(
        "sqlite:" + directory.resolve("jobs-" + databases + ".db"),
        redis.url() + "/" + databases + "?timeout=30s");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aTickInTheFutureIsShownAndSetBackWithAReason(String store) {
    assertThat(run(store, ahead, "early").code()).isZero();

    Result blocked = run(store, tick, "in time");
    assertThat(blocked.code()).isEqualTo(75);
    assertThat(blocked.err()).contains(ahead.toString(), "ahead", "pawl jobs reset sms");
    assertThat(PawlCommand.run(store, "jobs").out()).contains(ahead.toString(), "ahead)");
    assertThat(
            JsonParser.parseString(PawlCommand.run(store, "jobs", "--json").out())
                .getAsJsonObject()
                .getAsJsonArray("jobs")
                .get(0)
                .getAsJsonObject()
                .get("aheadSeconds")
                .getAsDouble())
        .isGreaterThan(3_600);

    Result unseen = reset(store, "--reason", "typo", "--yes");
    assertThat(unseen.code()).isEqualTo(64);
    assertThat(unseen.err()).contains("--tick");
    Result other = reset(store, "--reason", "typo", "--yes", "--tick", tick.toString());
    assertThat(other.code()).isEqualTo(75);
    assertThat(other.err()).contains(ahead.toString(), "nothing was changed");
    assertThat(reset(store, "--reason", "typo", "--yes", "--tick", ahead.toString()).code())
        .isZero();

    assertThat(run(store, tick, "in time").code()).isZero();
    assertThat(PawlCommand.run(store, "show", "job:sms").out())
        .contains("job reset", "reason=typo", "from=" + ahead);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aTickFarAheadIsATypo(String store) {
    Result typo = run(store, Instant.parse("2126-11-15T12:00:00Z"), "never");
    assertThat(typo.code()).isEqualTo(64);
    assertThat(typo.out()).isEmpty();
    assertThat(typo.err()).contains("ahead of the store's clock").hasLineCount(1);
    assertThat(run(store, tick, "in time").code()).isZero();
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aTickThatFailedIsSaidToHaveFailed(String store) {
    // The code of a lost lease, which is the command's own here.
    assertThat(
            PawlProcess.run(
                    store, "run", "sms", "--tick", tick.toString(), "--", "sh", "-c", "exit 76")
                .code())
        .isEqualTo(76);
    Result again = run(store, tick, "again");
    assertThat(again.code()).isEqualTo(75);
    assertThat(again.err()).contains("failed, by sh@");
    assertThat(PawlCommand.run(store, "show", "job:sms").out())
        .contains("exit status 76")
        .doesNotContain("CommandFailed");
  }

  private static Result run(String store, Instant tick, String words) {
    return PawlProcess.run(store, "run", "sms", "--tick", tick.toString(), "--", "echo", words);
  }

  private static Result reset(String store, String... arguments) {
    return PawlCommand.run(
        store,
        Stream.concat(Stream.of("jobs", "reset", "sms"), Stream.of(arguments))
            .toArray(String[]::new));
  }
}
