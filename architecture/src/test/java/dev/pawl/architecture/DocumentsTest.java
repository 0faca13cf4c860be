package dev.pawl.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What readers of the READMEs and the guide follow: links, and the way to the jars. */
class DocumentsTest {

  private static final Pattern FENCED =
      Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
  private static final Pattern INSTALL = Pattern.compile("mvn install .*-pl (\\S+)");
  private static final Pattern MANAGED =
      Pattern.compile("<dependencyManagement>.*?</dependencyManagement>", Pattern.DOTALL);
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>.*?<artifactId>(pawl-[a-z-]+)</artifactId>", Pattern.DOTALL);

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> dead = new ArrayList<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(FENCED.matcher(Files.readString(page)).replaceAll(""));
      while (link.find()) {
        String target = link.group(1);
        if (!target.contains("://") && !leads(page, target)) {
          dead.add(Module.root().relativize(page) + ": " + target);
        }
      }
    }
    assertThat(dead).isEmpty();
  }

  private static boolean leads(Path page, String target) throws IOException {
    String[] parts = target.split("#", 2);
    Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
    return Files.exists(file) && (parts.length == 1 || anchors(file).contains(parts[1]));
  }

  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(FENCED.matcher(Files.readString(page)).replaceAll(""))
        .results()
        .map(heading -> heading.group(1).strip().toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_\\- ]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String place : List.of("", "docs", "examples", "bench")) {
      try (Stream<Path> files =
          Files.walk(Module.root().resolve(place), place.isEmpty() ? 1 : Integer.MAX_VALUE)) {
        files
            .filter(file -> file.toString().endsWith(".md"))
            .filter(file -> !file.toString().contains("/target/"))
            .forEach(pages::add);
      }
    }
    return pages;
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "README.zh-CN.md"})
  void whatTheReadmeInstallsIsAllThatIsPublished(String readme) throws IOException {
    Matcher line = INSTALL.matcher(Files.readString(Module.root().resolve(readme)));
    assertThat(line.find()).as("a line mvn install … -pl …").isTrue();
    Map<String, Module> modules =
        Module.all().stream().collect(Collectors.toMap(Module::artifact, Function.identity()));
    Deque<Path> next = new ArrayDeque<>();
    Arrays.stream(line.group(1).split(",")).map(Module.root()::resolve).forEach(next::add);
    Set<Path> built = new LinkedHashSet<>();
    while (!next.isEmpty()) {
      Path module = next.remove();
      if (built.add(module)) {
        DEPENDENCY
            .matcher(MANAGED.matcher(Files.readString(module.resolve("pom.xml"))).replaceAll(""))
            .results()
            .map(found -> modules.get(found.group(1)))
            .filter(found -> found != null)
            .forEach(found -> next.add(found.directory()));
      }
    }
    assertThat(built).containsAll(Module.published().stream().map(Module::directory).toList());
  }
}
