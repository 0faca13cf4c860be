package dev.pawl.architecture;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;

/** What is published says by a module descriptor what of it is for users. */
class ModulesTest {

  /**
   * Published modules without a descriptor, each with its reason; they have an {@code
   * Automatic-Module-Name}. Whoever adds a descriptor takes the module off this list.
   */
  private static final Map<String, String> WITHOUT_DESCRIPTOR =
      Map.of(
          "pawl-zookeeper", "ZooKeeper's jars have packages in common, which no module path takes",
          "pawl-shedlock", "ShedLock's module has no fixed name",
          "pawl-spring-integration", "Spring's modules have no descriptors",
          "pawl-spring", "Spring's modules have no descriptors",
          "pawl-spring-boot-starter", "Spring's modules have no descriptors",
          "pawl-console", "bcrypt's module has no fixed name",
          "pawl-cli", "a program: nobody compiles against it, and it runs on the class path");

  private static final String PROGRAM =
      """
      package app;

      import dev.pawl.Lease;
      import dev.pawl.Pawl;

      public class Main {
        public static void main(String[] args) throws Exception {
          try (Pawl pawl = Pawl.connect("memory:");
              Lease lease = pawl.lock("invoice:42").acquire()) {
            System.out.println(Pawl.class.getModule().getName() + " held=" + lease.isHeld());
          }
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void whatIsPublishedHasADescriptorOrAReasonForNoneAndAName() {
    List<Module> without =
        Module.published().stream().filter(module -> module.descriptor().isEmpty()).toList();
    assertThat(without)
        .allSatisfy(module -> assertThat(module.automaticName()).as("%s", module).isPresent())
        .extracting(Module::artifact)
        .containsExactlyInAnyOrderElementsOf(WITHOUT_DESCRIPTOR.keySet());
  }

  @ParameterizedTest
  @MethodSource("described")
  void everyExportedPackageBearsTheNameOfItsModule(Module module) {
    ModuleDescriptor descriptor = module.descriptor().orElseThrow();
    assertThat(descriptor.exports())
        .isNotEmpty()
        .allSatisfy(each -> assertThat(each.source() + ".").startsWith(descriptor.name() + "."));
  }

  @ParameterizedTest
  @MethodSource("described")
  void servicesAreTheSameOnTheModulePathAsOnTheClassPath(Module module) throws IOException {
    Map<String, Set<String>> provided =
        module.descriptor().orElseThrow().provides().stream()
            .collect(
                toMap(ModuleDescriptor.Provides::service, each -> Set.copyOf(each.providers())));
    assertThat(provided).isEqualTo(module.services());
  }

  @Test
  void aModularProgramTakesALock() throws Exception {
    assertThat(compile(PROGRAM)).isEmpty();

    Process program =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "--module-path",
                directory.resolve("out") + File.pathSeparator + modulePath(),
                "--module",
                "app/app.Main")
            .redirectErrorStream(true)
            .start();
    String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(output).contains("dev.pawl held=true");
    assertThat(program.waitFor()).isZero();
  }

  @Test
  void aModularProgramSeesNothingOfTheEngine() throws Exception {
    assertThat(compile("package app; class Main { dev.pawl.engine.NodeFactory factory; }"))
        .contains("package dev.pawl.engine is not visible");
  }

  static Stream<Module> described() {
    return Module.published().stream().filter(module -> module.descriptor().isPresent());
  }

  /** Compiles a program of one class, and returns what the compiler has to say. */
  private String compile(String main) throws Exception {
    Path sources = Files.createDirectories(directory.resolve("src/app"));
    List<Path> files = new ArrayList<>();
    files.add(
        Files.writeString(
            sources.resolveSibling("module-info.java"), "module app { requires dev.pawl; }"));
    files.add(Files.writeString(sources.resolve("Main.java"), main));
    StringWriter messages = new StringWriter();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (var fileManager = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "--release",
              "17",
              "-proc:none",
              "--module-path",
              modulePath(),
              "-d",
              directory.resolve("out").toString());
      var units = fileManager.getJavaFileObjectsFromPaths(files);
      compiler.getTask(messages, fileManager, null, options, null, units).call();
    }
    return messages.toString();
  }

  private static String modulePath() throws Exception {
    Path slf4j = Path.of(Logger.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return Module.named("pawl-core").classes() + File.pathSeparator + slf4j;
  }
}
