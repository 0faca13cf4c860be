package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the guide for authors of stores names is there, and as many as it says. */
class WritingAStoreTest {

  private static String page = "";

  @BeforeAll
  static void readThePage() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/guide/writing-a-store.md"))) {
      root = root.getParent();
    }
    page = Files.readString(root.resolve("docs/guide/writing-a-store.md"));
  }

  @Test
  void theCasesThatItNamesAreThere() {
    List<String> named = matches("`([A-Z]\\w+)\\.(\\w+)`", 0);
    assertThat(named).hasSizeGreaterThan(5);
    assertThat(named).allSatisfy(each -> assertThat(cases()).contains(each.replace("`", "")));
    // As one writes it to run one.
    assertThat(matches("\\$(\\w+#\\w+)", 1))
        .isNotEmpty()
        .allSatisfy(each -> assertThat(cases()).contains(each.replace('#', '.')));
  }

  @Test
  void theTopicsAndCapabilitiesThatItNamesAreThere() {
    List<String> rows = matches("(?m)^\\| `([A-Z]+)` \\|.*$", 0);
    assertThat(matches("(?m)^\\| `([A-Z]+)` \\|", 1))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Capability.values()).map(Enum::name).toList());
    Set<String> topics =
        topics().stream().map(Class::getSimpleName).collect(Collectors.toCollection(TreeSet::new));
    for (String row : rows) {
      String last = row.substring(row.lastIndexOf('|', row.length() - 2));
      Matcher name = Pattern.compile("`(\\w+)`").matcher(last);
      while (name.find()) {
        assertThat(topics).contains(name.group(1));
      }
    }
  }

  @Test
  void thereAreAsManyCasesAsItSays() {
    for (String layer : List.of("spi", "api")) {
      long there =
          topics().stream()
              .filter(topic -> tags(topic).contains(layer))
              .mapToLong(topic -> casesOf(topic).size())
              .sum();
      String said = matches("`" + layer + "` \\|.*\\| some (\\d+) \\|", 1).get(0);
      assertThat(Long.parseLong(said)).isBetween(there - 10, there + 10);
    }
    String said = matches("some (\\d+) cases", 1).get(0);
    assertThat(Long.parseLong(said)).isBetween(cases().size() - 10L, cases().size() + 10L);
  }

  @Test
  void theMethodsThatItNamesMayBeOverridden() {
    List<String> rows = matches("(?m)^\\| `([a-zA-Z]+)\\([^)]*\\)` \\|.*\\|.*\\|.*$", 1);
    Set<String> methods =
        Arrays.stream(StoreConformance.class.getDeclaredMethods())
            .filter(method -> java.lang.reflect.Modifier.isProtected(method.getModifiers()))
            .map(java.lang.reflect.Method::getName)
            .collect(Collectors.toSet());
    methods.remove("open");
    assertThat(rows).containsExactlyInAnyOrderElementsOf(methods);
  }

  @Test
  void theCommandsThatItNamesAreThere() {
    Set<String> commands =
        Arrays.stream(LockStore.class.getMethods())
            .map(java.lang.reflect.Method::getName)
            .collect(Collectors.toSet());
    String table = page.substring(page.indexOf("| method | what it does |"));
    for (String line : table.lines().skip(2).takeWhile(row -> row.startsWith("|")).toList()) {
      Matcher name = Pattern.compile("`(\\w+)`").matcher(line.substring(0, line.indexOf('|', 1)));
      while (name.find()) {
        assertThat(commands).contains(name.group(1));
      }
    }
  }

  private static List<Class<?>> topics() {
    return Arrays.stream(StoreConformance.class.getDeclaredClasses())
        .filter(each -> each.isAnnotationPresent(Nested.class))
        .collect(Collectors.toList());
  }

  private static Set<String> tags(Class<?> topic) {
    Set<String> tags = new TreeSet<>();
    for (Class<?> at = topic; at != null; at = at.getSuperclass()) {
      if (at.isAnnotationPresent(Tag.class)) {
        tags.add(at.getAnnotation(Tag.class).value());
      }
    }
    return tags;
  }

  private static List<String> casesOf(Class<?> topic) {
    List<String> names = new ArrayList<>();
    for (Class<?> at = topic; at != null; at = at.getSuperclass()) {
      Arrays.stream(at.getDeclaredMethods())
          .filter(
              method ->
                  Arrays.stream(method.getAnnotations())
                      .anyMatch(each -> each.annotationType().getSimpleName().matches(".*Test")))
          .forEach(method -> names.add(topic.getSimpleName() + "." + method.getName()));
    }
    return names;
  }

  private static List<String> cases() {
    return topics().stream().flatMap(topic -> casesOf(topic).stream()).toList();
  }

  private static List<String> matches(String pattern, int group) {
    List<String> found = new ArrayList<>();
    Matcher matcher = Pattern.compile(pattern).matcher(page);
    while (matcher.find()) {
      found.add(matcher.group(group));
    }
    return found;
  }
}
