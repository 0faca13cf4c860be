package dev.pawl.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The invariants are cited by number all over the tree: each number is defined, on one page. */
class InvariantsTest {

  private static final Pattern NUMBER = Pattern.compile("\\bI(\\d{1,2})\\b");
  private static final Pattern DEFINITION = Pattern.compile("(?m)^\\| \\*\\*I(\\d{1,2})\\*\\*");
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|Cases))`");
  private static final String PAGE = "docs/invariants.md";

  @Test
  void everyNumberThatIsCitedIsDefined() throws IOException {
    Set<String> defined = numbers(DEFINITION, read(Module.root().resolve(PAGE)));
    assertThat(defined).hasSize(12);
    Map<String, Set<String>> undefined = new TreeMap<>();
    int citing = 0;
    for (Path file : texts()) {
      Set<String> cited = numbers(NUMBER, read(file));
      citing += cited.isEmpty() ? 0 : 1;
      cited.removeAll(defined);
      if (!cited.isEmpty()) {
        undefined.put(Module.root().relativize(file).toString(), cited);
      }
    }
    assertThat(citing).as("files that cite an invariant").isGreaterThan(50);
    assertThat(undefined).isEmpty();
  }

  @Test
  void everyTestThatThePageNamesExists() throws IOException {
    Set<String> names =
        texts().stream()
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith(".java"))
            .map(name -> name.substring(0, name.length() - ".java".length()))
            .collect(Collectors.toSet());
    assertThat(names).containsAll(numbers(TEST, read(Module.root().resolve(PAGE))));
  }

  @Test
  void thePageIsLinkedFromWhereReadersCome() throws IOException {
    for (String from :
        new String[] {
          "ARCHITECTURE.md",
          "core/src/main/java/dev/pawl/machine/LockMachine.java",
          "docs/guide/locks.md",
          "docs/guide/writing-a-store.md"
        }) {
      assertThat(read(Module.root().resolve(from))).as(from).contains("invariants.md");
    }
  }

  @Test
  void aNumberThatIsNotDefinedWouldBeNoticed() {
    assertThat(numbers(NUMBER, "kept by I" + 13 + ", and not by AI2 or I2C")).containsExactly("13");
  }

  private static Set<String> numbers(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult result) -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Path> texts() throws IOException {
    try (Stream<Path> files = Files.walk(Module.root())) {
      return files
          .filter(file -> file.toString().matches(".*\\.(java|lua|md|sql)"))
          .filter(file -> !file.toString().contains("/target/"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }
}
