package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the guide compile as they stand, and run. */
class GuideTest {

  private static final Pattern EXAMPLE =
      Pattern.compile("```java\\R(.*?public class (\\w+) .*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void theTestOfTheGuideIsOneOfThese() throws Exception {
    Path test = Path.of("../spring-boot-3-tests/src/test/java/billing/InvoicesTest.java");
    String text = Files.readString(test).replace("package billing;\n\n", "");
    assertThat(Files.readString(Path.of("../../docs/guide/spring.md")))
        .contains("```java\n" + text + "```");
  }

  @Test
  void theExampleCompilesAndRuns() throws Exception {
    Path guide = Path.of("../../docs/guide/spring.md");
    Matcher example = EXAMPLE.matcher(Files.readString(guide));
    assertThat(example.find()).isTrue();
    // Of a package, so that what it scans is itself.
    String text = "package shop;\n" + example.group(1);
    Path source = Files.writeString(directory.resolve(example.group(2) + ".java"), text);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-parameters",
              "-proc:none",
              "-d",
              directory.toString(),
              "-cp",
              System.getProperty(
                  "surefire.test.class.path", System.getProperty("java.class.path")));
      compiler
          .getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
          .call();
    }
    assertThat(messages.toString()).isEmpty();

    URL[] classPath = {directory.toUri().toURL()};
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (var loader = new URLClassLoader(classPath, getClass().getClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      String[] arguments = {"--pawl.store=memory:", "--spring.datasource.url=jdbc:sqlite::memory:"};
      loader
          .loadClass("shop." + example.group(2))
          .getMethod("main", String[].class)
          .invoke(null, (Object) arguments);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }
}
