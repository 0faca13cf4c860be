package dev.pawl.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The engine keeps its borders, and every border catches the class that was written to break it.
 */
class EngineRulesTest {

  private static final String FIXTURE = "dev.pawl.architecture.fixture.engine";

  private final JavaClasses engine =
      new ClassFileImporter().importPath(Module.named("pawl-core").classes());
  private final JavaClasses broken = new ClassFileImporter().importPackages(FIXTURE);

  @ParameterizedTest
  @MethodSource("layers")
  void aLayerKnowsNothingAboveIt(String layer) {
    new EngineRules("dev.pawl.engine").knowsNothingAbove(layer).check(engine);
    assertCaught(new EngineRules(FIXTURE).knowsNothingAbove(layer), layer + ".LooksUp");
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void aSubjectKnowsNoOther(String subject) {
    new EngineRules("dev.pawl.engine").knowsNoOtherSubject(subject).check(engine);
    assertCaught(new EngineRules(FIXTURE).knowsNoOtherSubject(subject), subject + ".LooksAside");
  }

  @Test
  void aClaimSendsNothing() {
    new EngineRules("dev.pawl.engine").aClaimSendsNothing().check(engine);
    assertCaught(new EngineRules(FIXTURE).aClaimSendsNothing(), "claims.Sends");
  }

  @Test
  void everyPackageOfTheEngineHasABorder() {
    List<String> packages =
        engine.stream()
            .map(type -> type.getPackageName())
            .filter(name -> name.startsWith("dev.pawl.engine."))
            .map(name -> name.substring("dev.pawl.engine.".length()))
            .distinct()
            .toList();
    assertThat(packages)
        .containsExactlyInAnyOrderElementsOf(Stream.concat(layers(), subjects()).toList());
  }

  static Stream<String> layers() {
    return EngineRules.LAYERS.stream();
  }

  static Stream<String> subjects() {
    return EngineRules.SUBJECTS.stream();
  }

  private void assertCaught(ArchRule rule, String culprit) {
    assertThatThrownBy(() -> rule.check(broken)).hasMessageContaining(culprit);
  }
}
