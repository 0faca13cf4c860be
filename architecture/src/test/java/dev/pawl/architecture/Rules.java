package dev.pawl.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The directions of the parts, as rules. They are written for a root package, so that their own
 * tests can aim them at classes that break them.
 */
record Rules(String root) {

  /** Stores in modules of their own. One that has no module yet has no classes, and passes. */
  private static final List<String> STORES =
      List.of("jdbc", "redis", "zookeeper", "hazelcast", "degrade");

  /** What puts Pawl into a framework, or behind another library's interface. */
  private static final List<String> INTEGRATIONS =
      List.of("micrometer", "quartz", "shedlock", "spring.integration");

  /** Those that also name a store's public types, for an application that has that store. */
  private static final List<String> INTEGRATIONS_WITH_STORES = List.of("spring");

  /**
   * Where core may read a wall clock, by the class's full name; each with its reason.
   *
   * <p>Elapsed time is a ticker's, and expiry is judged by the store's own clock (I12).
   */
  static final Set<String> MAY_READ_THE_WALL_CLOCK =
      Set.of(
          // It is the store: this is the store's own clock.
          "dev.pawl.memory.MemoryStore");

  ArchRule coreKnowsNoBackendAndNoFramework() {
    return classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(root + "..", "java..", "org.slf4j..", "org.jspecify..")
                .and(not(resideInAPackage("java.sql.."))))
        .because("a user of one backend must not get a framework or another backend with it");
  }

  ArchRule theMachineIsAPureFunction() {
    return classes()
        .that()
        .resideInAPackage(root + ".machine..")
        .should()
        .onlyDependOnClassesThat(
            // The API's root package holds the values of what people see of a state.
            resideInAnyPackage(
                    root, root + ".machine..", root + ".spi..", "java..", "org.jspecify..")
                .and(
                    not(
                        resideInAnyPackage(
                            "java.io..", "java.net..", "java.util.concurrent..", "java.sql..")))
                .and(not(thread())))
        .because(
            "the machine has no clock, no thread and no I/O: it is where correctness is proved");
  }

  ArchRule theMachineReadsNoClock() {
    return noClasses()
        .that()
        .resideInAPackage(root + ".machine..")
        .should()
        .accessTargetWhere(readsTheWallClock().or(calls(System.class, "nanoTime")))
        .because("the machine is told the time");
  }

  ArchRule noPackageCycles() {
    return slices()
        .assignedFrom(byPackage())
        .should()
        .beFreeOfCycles()
        .because("a newcomer reads the packages one after the other");
  }

  List<ArchRule> storesKnowNeitherEachOtherNorTheEngine() {
    List<ArchRule> rules = new ArrayList<>();
    rules.add(storeKnowsOnlyItself("memory"));
    STORES.forEach(store -> rules.add(storeKnowsOnlyItself(store).allowEmptyShould(true)));
    return rules;
  }

  ArchRule storeKnowsOnlyItself(String store) {
    List<String> forbidden = new ArrayList<>(List.of(root + ".engine.."));
    STORES.stream()
        .filter(other -> !other.equals(store))
        .forEach(other -> forbidden.add(root + "." + other + ".."));
    return noClasses()
        .that()
        .resideInAPackage(root + "." + store + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden.toArray(String[]::new))
        .because(
            "stores stand on the API, the SPI and the machine, and can be left out one by one");
  }

  ArchRule integrationsUseTheApiAlone() {
    return integrations(INTEGRATIONS, store -> "." + store + "..")
        .because("which store an application has is its own choice");
  }

  ArchRule integrationsSeeNothingInsideOfAStore() {
    return integrations(INTEGRATIONS_WITH_STORES, store -> "." + store + ".*..")
        .because("what is inside of a store is not for its users");
  }

  private ArchRule integrations(List<String> which, UnaryOperator<String> ofAStore) {
    List<String> inside =
        new ArrayList<>(List.of(".engine..", ".machine..", ".spi..", ".memory.."));
    STORES.forEach(store -> inside.add(ofAStore.apply(store)));
    return noClasses()
        .that()
        .resideInAnyPackage(
            which.stream().map(each -> root + "." + each + "..").toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(inside.stream().map(each -> root + each).toArray(String[]::new));
  }

  ArchRule nothingPublishedNeedsTortureOrBench() {
    return noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(root + ".torture..", root + ".bench..")
        .because("torture and bench are not published");
  }

  ArchRule nobodySleeps() {
    return noClasses()
        .should()
        .accessTargetWhere(calls(Thread.class, "sleep").or(calls(TimeUnit.class, "sleep")))
        .because("waiting goes through the injected timer, which a test can turn");
  }

  ArchRule nobodyReadsTheWallClock() {
    return noClasses()
        .that(
            describe(
                "are not excepted", type -> !MAY_READ_THE_WALL_CLOCK.contains(type.getFullName())))
        .should()
        .accessTargetWhere(readsTheWallClock())
        .because("no wall clock of a node is ever written into a store or compared with one (I12)");
  }

  private static DescribedPredicate<JavaClass> thread() {
    return describe("Thread", type -> type.isEquivalentTo(Thread.class));
  }

  private static DescribedPredicate<JavaAccess<?>> readsTheWallClock() {
    return describe(
        "reads the wall clock",
        access -> {
          AccessTarget target = access.getTarget();
          JavaClass owner = target.getOwner();
          return switch (target.getName()) {
            case "currentTimeMillis" -> owner.isEquivalentTo(System.class);
            case "now" -> owner.getPackageName().equals("java.time");
            case "<init>" ->
                owner.isEquivalentTo(Date.class)
                    && target instanceof AccessTarget.CodeUnitAccessTarget constructor
                    && constructor.getRawParameterTypes().isEmpty();
            default -> owner.isEquivalentTo(Clock.class) && target.getName().startsWith("system");
          };
        });
  }

  private static DescribedPredicate<JavaAccess<?>> calls(Class<?> owner, String method) {
    return describe(
        "calls " + owner.getSimpleName() + "." + method,
        access ->
            access.getTargetOwner().isEquivalentTo(owner)
                && access.getTarget().getName().equals(method));
  }

  /** Each package by itself, the root too: {@code slices().matching} would leave that one out. */
  private SliceAssignment byPackage() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        return (type.getPackageName() + ".").startsWith(root + ".")
            ? SliceIdentifier.of(type.getPackageName())
            : SliceIdentifier.ignore();
      }

      @Override
      public String getDescription() {
        return "packages of " + root;
      }
    };
  }
}
