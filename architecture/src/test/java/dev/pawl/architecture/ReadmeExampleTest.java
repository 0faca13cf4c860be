package dev.pawl.architecture;

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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The example of a README compiles as it stands, and runs. */
class ReadmeExampleTest {

  private static final Pattern EXAMPLE =
      Pattern.compile("```java\\R(.*?public class (\\w+) .*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "README.zh-CN.md",
        "docs/guide/fencing.md",
        "docs/guide/from-curator.md",
        "docs/guide/from-redisson.md",
        "docs/guide/from-shedlock.md",
        "docs/guide/jobs.md",
        "docs/guide/locks.md",
        "docs/guide/metrics.md",
        "docs/guide/spring-integration.md",
        "docs/guide/quartz.md",
      })
  void theExampleCompilesAndRuns(String readme) throws Exception {
    Matcher example = EXAMPLE.matcher(Files.readString(Module.root().resolve(readme)));
    assertThat(example.find()).as("a java block with a public class in " + readme).isTrue();
    String type = example.group(2);
    Path source = Files.writeString(directory.resolve(type + ".java"), example.group(1));

    assertThat(compilerMessages(source)).isEmpty();

    URL[] classPath = {directory.toUri().toURL()};
    try (var loader = new URLClassLoader(classPath, getClass().getClassLoader())) {
      loader.loadClass(type).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
  }

  private String compilerMessages(Path source) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "--release",
              "17",
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
    return messages.toString();
  }
}
