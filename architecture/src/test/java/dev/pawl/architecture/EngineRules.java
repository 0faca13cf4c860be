package dev.pawl.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;

/**
 * The borders inside of the engine, written for a root package as {@link Rules} are: from below,
 * time, threads, the link to the store, claims, locks; on top of these, beside each other,
 * deadlocks and jobs; and the node in the root package above all.
 */
record EngineRules(String root) {

  /** From below; each knows only those before it. */
  static final List<String> LAYERS = List.of("time", "threads", "link", "claims", "locks");

  /** What stands on the layers, each for itself. */
  static final List<String> SUBJECTS = List.of("deadlocks", "jobs");

  ArchRule knowsNothingAbove(String layer) {
    List<String> above = new ArrayList<>(SUBJECTS);
    above.addAll(LAYERS.subList(LAYERS.indexOf(layer) + 1, LAYERS.size()));
    return knowsNone(layer, above)
        .because("a layer of the engine is read without those that stand on it");
  }

  ArchRule knowsNoOtherSubject(String subject) {
    return knowsNone(subject, SUBJECTS.stream().filter(each -> !each.equals(subject)).toList())
        .because("jobs and the search for deadlocks have nothing to do with each other");
  }

  /** A claim takes an event and gives a verdict: it calls nobody. */
  ArchRule aClaimSendsNothing() {
    return noClasses()
        .that()
        .resideInAPackage(root + ".claims")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("dev.pawl.spi.LockStore")
        .because("what is to be sent is the verdict, and whoever asked for it sends it");
  }

  private ArchRule knowsNone(String part, List<String> parts) {
    List<String> forbidden = new ArrayList<>(List.of(root));
    parts.forEach(each -> forbidden.add(root + "." + each + ".."));
    return noClasses()
        .that()
        .resideInAPackage(root + "." + part + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden.toArray(String[]::new));
  }
}
