package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written on the command line arrives as it is written, or is refused. */
class ArgumentsProcessTest {

  @TempDir private Path directory;

  private Result bash(String line) {
    return bash(Map.of(), line);
  }

  private Result bash(Map<String, String> more, String line) {
    Map<String, String> environment = new java.util.HashMap<>(more);
    environment.put("PAWL_STORE", "sqlite:" + directory.resolve("locks.db"));
    environment.put("FILE", directory.resolve("body.json").toString());
    try (PawlProcess bash = PawlProcess.startBash(environment, line)) {
      return bash.await();
    }
  }

  @Test
  void anArgumentWithAnAtSignIsNoFile() throws IOException {
    Path file = Files.writeString(directory.resolve("body.json"), "s3cr3t --quiet");
    assertThat(bash("\"$PAWL\" run n -- echo -d @\"$FILE\""))
        .isEqualTo(new Result(0, "-d @" + file + "\n", ""));
    assertThat(bash("\"$PAWL\" run n echo @\"$FILE\""))
        .isEqualTo(new Result(0, "@" + file + "\n", ""));
    Result shown = bash("\"$PAWL\" show @\"$FILE\"");
    assertThat(shown.out()).contains("@" + file).doesNotContain("s3cr3t");
    assertThat(shown.code()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "run n echo -n hi, hi",
    "run n -q echo -w 5 --debug --store x, -w 5 --debug --store x|",
    "run -q n -- echo -- -q, -- -q|",
    "run n --lease 20s echo a -- b, a -- b|",
    "run -- -n -- echo -n, ''",
    "run -- -n echo -s, -s|",
    "run n sh -c 'echo $1' x --help, --help|",
    "run n sh -c 'echo $#' -- -E --skip-ok, 2|",
  })
  void optionsBehindTheFirstWordOfTheCommandBelongToIt(String arguments, String printed) {
    Result result = bash("\"$PAWL\" " + arguments);
    assertThat(result).isEqualTo(new Result(0, printed.replace('|', '\n'), ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run $'a\\xff' -- echo ran",
        "run a -- echo $'\\xe9t\\xe9'",
        "run a -- $'/bin/\\xff'",
        "run a -w $'\\xff' -- echo ran",
        "show $'a\\xfe'",
        "ls $'\\xc3'",
      })
  void whatIsNotUtf8IsRefused(String arguments) {
    Result result = bash("\"$PAWL\" " + arguments);
    assertThat(result.code()).as(result.err()).isEqualTo(64);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("is not UTF-8").matches("pawl: [^\n]+\n");
  }

  @Test
  void theReplacementCharacterItselfIsAnOrdinaryOne() {
    assertThat(bash("\"$PAWL\" run $'a\\xef\\xbf\\xbd' -- printf %s $'\\xef\\xbf\\xbd'").out())
        .isEqualTo("\ufffd");
  }

  /** As ssh brings it along from the caller's host; Java takes all of it for ASCII then. */
  @ParameterizedTest
  @ValueSource(strings = {"LC_ALL", "LC_TIME", "LC_CTYPE", "LANG"})
  void aLocaleThatIsNotInstalledChangesNothing(String variable) {
    Map<String, String> locale = new HashMap<>(Map.of("LC_ALL", ""));
    assumeTrue(
        bash(locale, "LC_ALL=C.UTF-8; x=$'\\xc3\\xa9'; exit ${#x}").code() == 1,
        "there is no C.UTF-8 here");
    locale.put(variable, "xx_YY.UTF-8");
    // In bytes: Java knows what its own locale knows.
    String line =
        "\"$PAWL\" run $'\\xe8\\xae\\xa2\\xe5\\x8d\\x95' --"
            + " sh -c 'printf \"%s %s %s\" \"$1\" \"$PAWL_NAME\" \"$"
            + variable
            + "\"' sh $'\\xc3\\xa9'";
    Result result = bash(locale, line);
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).isEqualTo("é 订单 xx_YY.UTF-8");
  }

  /** As after {@code env -i}, in some containers and under some supervisors. */
  @Test
  void withoutAPathTheCommandIsLookedForWhereShellsLook() {
    Result result = bash("env -u PATH \"$PAWL\" run n -- sh -c 'echo $PAWL_NAME'");
    assertThat(result).isEqualTo(new Result(0, "n\n", ""));
  }
}
