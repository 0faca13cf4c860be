package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spring.boot.PawlProperties;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What an editor completes is what there is. */
class MetadataTest {

  @Test
  void everyPropertyIsDescribedAndNoOther() throws Exception {
    String metadata;
    try (InputStream in =
        PawlProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      metadata = read(in);
    }
    String properties =
        metadata.substring(metadata.indexOf("\"properties\""), metadata.indexOf("\"hints\""));
    List<String> described =
        Pattern.compile("\"name\": \"(pawl\\.[^\"]+)\"")
            .matcher(properties)
            .results()
            .map(match -> match.group(1))
            .toList();
    List<String> there = new ArrayList<>();
    collect("pawl", PawlProperties.class, there);
    assertThat(described).containsExactlyInAnyOrderElementsOf(there);
    assertThat(properties.split("\"name\": ", -1))
        .hasSizeGreaterThan(described.size())
        .filteredOn(property -> property.startsWith("\"pawl."))
        .allSatisfy(
            property ->
                assertThat(property)
                    .containsPattern("\"type\": \"java\\.[\\w.]+\"")
                    .containsPattern("\"description\": \"[A-Z][^\"]{15,}\\.\""));
  }

  @Test
  void everyPropertyIsInTheGuide() throws Exception {
    String guide = Files.readString(Path.of("../../docs/guide/spring.md"));
    List<String> there = new ArrayList<>();
    collect("pawl", PawlProperties.class, there);
    assertThat(there)
        .allSatisfy(
            name ->
                assertThat(guide)
                    .containsPattern(
                        "`(\\Q" + name + "\\E|" + name.replaceAll(".*\\.", "") + ")[`=]"));
  }

  private static String read(InputStream in) throws Exception {
    String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    // Other jars have such a file too; this is that of the starter.
    if (text.contains("\"pawl.store\"")) {
      return text;
    }
    var all =
        PawlProperties.class
            .getClassLoader()
            .getResources("META-INF/spring-configuration-metadata.json");
    while (all.hasMoreElements()) {
      try (InputStream each = all.nextElement().openStream()) {
        String other = new String(each.readAllBytes(), StandardCharsets.UTF_8);
        if (other.contains("\"pawl.store\"")) {
          return other;
        }
      }
    }
    throw new AssertionError("no metadata of pawl");
  }

  private static void collect(String prefix, Class<?> type, List<String> into) {
    for (RecordComponent each : type.getRecordComponents()) {
      String name =
          prefix
              + "."
              + each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
      if (each.getType().isRecord()) {
        collect(name, each.getType(), into);
      } else {
        into.add(name);
      }
    }
  }
}
