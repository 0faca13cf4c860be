package dev.pawl.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Every rule catches the class that was written to break it. */
class RulesTest {

  private static final String FIXTURE = "dev.pawl.architecture.fixture";

  private final Rules rules = new Rules(FIXTURE);
  private final JavaClasses broken = new ClassFileImporter().importPackages(FIXTURE);

  @Test
  void aFrameworkInCoreIsCaught() {
    assertThat(violations(rules.coreKnowsNoBackendAndNoFramework()))
        .contains("core.UsesAFramework")
        .contains("core.UsesABackend");
  }

  @Test
  void aMachineThatUsesMoreThanItMayIsCaught() {
    assertThat(violations(rules.theMachineIsAPureFunction()))
        .contains("machine.UsesTheEngine")
        .contains("machine.StartsAThread");
  }

  @Test
  void aMachineThatReadsAClockIsCaught() {
    assertThat(violations(rules.theMachineReadsNoClock())).contains("machine.ReadsAClock");
  }

  @Test
  void aCycleIsCaught() {
    assertThat(violations(rules.noPackageCycles())).contains(".cyclea").contains(".cycleb");
  }

  @Test
  void aStoreThatUsesAnotherIsCaught() {
    assertThat(violations(rules.storeKnowsOnlyItself("jdbc"))).contains("jdbc.UsesAnotherStore");
  }

  @Test
  void aStoreThatUsesTheEngineIsCaught() {
    assertThat(violations(rules.storeKnowsOnlyItself("redis"))).contains("redis.UsesTheEngine");
  }

  @Test
  void anIntegrationThatUsesAStoreIsCaught() {
    assertThat(violations(rules.integrationsUseTheApiAlone()))
        .contains("shedlock.UsesAStore")
        .contains("shedlock.UsesTheEngineToo");
  }

  @Test
  void anIntegrationThatUsesTheInsideOfAStoreIsCaught() {
    assertThat(violations(rules.integrationsSeeNothingInsideOfAStore()))
        .contains("spring.UsesTheInsideOfAStore")
        .doesNotContain("spring.UsesAStoresTypes");
  }

  @Test
  void aUseOfBenchIsCaught() {
    assertThat(violations(rules.nothingPublishedNeedsTortureOrBench())).contains("core.UsesBench");
  }

  @Test
  void aSleepIsCaught() {
    assertThat(violations(rules.nobodySleeps())).contains("sleep.Sleeps");
  }

  @Test
  void everyWayToReadTheWallClockIsCaught() {
    assertThat(violations(rules.nobodyReadsTheWallClock()))
        .contains("ReadsTheWallClock.millis()")
        .contains("ReadsTheWallClock.byReference()")
        .contains("ReadsTheWallClock.clock()")
        .contains("ReadsTheWallClock.date()");
  }

  @Test
  void aSynchronizedMethodAndBlockAreCaught() throws Exception {
    Path classes =
        Path.of(RulesTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertThat(Monitors.in(classes))
        .containsExactlyInAnyOrder(
            "synchronized method " + FIXTURE + ".monitor.Synchronizes.method",
            "synchronized block in " + FIXTURE + ".monitor.Synchronizes.block");
  }

  @Test
  void aRuleWithoutClassesFails() {
    Rules elsewhere = new Rules("dev.pawl.nowhere");
    assertThat(violations(elsewhere.theMachineIsAPureFunction())).contains("failed to check any");
    assertThat(violations(elsewhere.storeKnowsOnlyItself("jdbc"))).contains("failed to check any");
  }

  private String violations(ArchRule rule) {
    try {
      rule.check(broken);
      return "";
    } catch (AssertionError e) {
      return String.valueOf(e.getMessage());
    }
  }
}
