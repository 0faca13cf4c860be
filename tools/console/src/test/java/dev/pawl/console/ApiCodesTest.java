package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A program can look up every code with which it is refused. */
class ApiCodesTest {

  private static final Pattern PROBLEM =
      Pattern.compile("new Problem\\(\\s*(\\d{3}),\\s*\"([a-z-]+)\"");

  private static Set<String> inTheSources() throws Exception {
    Set<String> codes = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      for (Path source : sources) {
        PROBLEM
            .matcher(Files.readString(source))
            .results()
            .forEach(found -> codes.add(found.group(1) + " " + found.group(2)));
      }
    }
    return codes;
  }

  private static Set<String> inTheGuide() throws Exception {
    String guide = Files.readString(Path.of("../../docs/guide/console-api.md"));
    String errors = guide.substring(guide.indexOf("**Errors**"));
    Set<String> codes = new TreeSet<>();
    String status = "";
    for (MatchResult word :
        Pattern.compile("\\b([45]\\d{2})\\b|`([a-z-]+)`").matcher(errors).results().toList()) {
      if (word.group(1) != null) {
        status = word.group(1);
      } else {
        codes.add(status + " " + word.group(2));
      }
    }
    return codes;
  }

  @Test
  void everyCodeIsInTheGuideWithItsStatus() throws Exception {
    assertThat(inTheSources()).contains("409 changed", "503 too-many").hasSizeGreaterThan(15);
    assertThat(inTheGuide()).containsAll(inTheSources());
  }
}
