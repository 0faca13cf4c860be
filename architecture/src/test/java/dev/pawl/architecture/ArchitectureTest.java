package dev.pawl.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules, applied to what is published. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTest {

  private static final int MOST_TYPES_IN_THE_API = 26;

  private final Rules rules = new Rules("dev.pawl");
  private final JavaClasses core = imported(Module.named("pawl-core").classes());
  private final JavaClasses published =
      imported(Module.published().stream().map(Module::classes).toArray(Path[]::new));

  @Test
  void coreKnowsNoBackendAndNoFramework() {
    rules.coreKnowsNoBackendAndNoFramework().check(core);
  }

  @Test
  void theMachineIsAPureFunction() {
    rules.theMachineIsAPureFunction().check(core);
  }

  @Test
  void theMachineReadsNoClock() {
    rules.theMachineReadsNoClock().check(core);
  }

  @Test
  void noPackageCycles() {
    rules.noPackageCycles().check(published);
  }

  @Test
  void storesKnowNeitherEachOtherNorTheEngine() {
    rules.storesKnowNeitherEachOtherNorTheEngine().forEach(rule -> rule.check(published));
  }

  @Test
  void integrationsUseTheApiAlone() {
    rules.integrationsUseTheApiAlone().check(published);
  }

  @Test
  void integrationsSeeNothingInsideOfAStore() {
    rules.integrationsSeeNothingInsideOfAStore().check(published);
  }

  @Test
  void nothingPublishedNeedsTortureOrBench() {
    rules.nothingPublishedNeedsTortureOrBench().check(published);
  }

  @Test
  void nobodySleeps() {
    rules.nobodySleeps().check(published);
  }

  @Test
  void coreReadsNoWallClock() {
    rules.nobodyReadsTheWallClock().check(core);
  }

  @ParameterizedTest
  @MethodSource("published")
  void nobodySynchronizes(Module module) throws IOException {
    assertThat(Monitors.in(module.classes()))
        .as("a monitor pins a virtual thread on JDK 21 to 23: use a ReentrantLock")
        .isEmpty();
  }

  @Test
  void theApiStaysSmall() {
    List<String> types =
        core.stream()
            .filter(type -> type.getPackageName().equals("dev.pawl") && type.isTopLevelClass())
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getSimpleName)
            .toList();
    assertThat(types).isNotEmpty().hasSizeLessThanOrEqualTo(MOST_TYPES_IN_THE_API);
  }

  @Test
  void everyPackageIsNullMarked() {
    List<String> unmarked =
        published.stream()
            .map(JavaClass::getPackage)
            .distinct()
            .filter(each -> !each.isAnnotatedWith(NullMarked.class))
            .map(JavaPackage::getName)
            .sorted()
            .toList();
    assertThat(unmarked)
        .as("NullAway looks only at packages marked in package-info.java")
        .isEmpty();
  }

  @Test
  void everyModuleIsPublishedOrKnownToBeInternal() {
    List<String> built =
        Module.all().stream().filter(each -> !each.isInternal()).map(Module::artifact).toList();
    assertThat(Module.inBom()).containsExactlyInAnyOrderElementsOf(built);
  }

  static Stream<Module> published() {
    return Module.published().stream();
  }

  private static JavaClasses imported(Path... directories) {
    return new ClassFileImporter().importPaths(directories);
  }
}
