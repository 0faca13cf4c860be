package dev.pawl.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;

/**
 * The borders inside of {@code pawl-jdbc}, written for a root package as {@link Rules} are.
 *
 * <p>From below: the runner of statements; the dialects; connections; then schema, journal and
 * wake-ups; then the strategies, beside each other. Only the root package, which opens stores, sees
 * both strategies, and only its {@code SqlDatabase} says which dialects there are.
 */
record JdbcRules(String root) {

  ArchRule onlyTheRunnerPrepares() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(root + ".sql..", root + ".connect..")
        .should()
        .accessTargetWhere(
            describe(
                "prepares a statement",
                access ->
                    access.getTargetOwner().isEquivalentTo(java.sql.Connection.class)
                        && access.getTarget().getName().matches("(prepare|create)Statement")))
        .because("the runner reads to the end of what comes back, behind the commit (I1)");
  }

  ArchRule nobodyNamesADialect() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(root + ".dialect..")
        .and(not("SqlDatabase"))
        .should()
        .dependOnClassesThat(
            describe(
                "are the dialect of one database",
                type ->
                    type.isAssignableTo(root + ".dialect.Dialect")
                        && !type.getSimpleName().equals("Dialect")))
        .because("a new database is one class, and one line in SqlDatabase");
  }

  ArchRule nobodyBranchesOnTheDatabase() {
    return noClasses()
        .that(not("SqlDatabase"))
        .should()
        .accessTargetWhere(
            DescribedPredicate.<JavaAccess<?>>describe(
                "names a constant of SqlDatabase",
                access ->
                    access instanceof JavaFieldAccess
                        && access.getTargetOwner().getFullName().equals(root + ".SqlDatabase")))
        .because("what differs between databases is in their dialects");
  }

  ArchRule strategiesDoNotSeeEachOther(String one, String other) {
    return knowsNone(one, other).because("a lease record and a row lock have nothing in common");
  }

  ArchRule wakingKnowsNoStrategy() {
    return knowsNone("wake", "lease", "rowlock", "strategy")
        .because("whoever writes asks what goes with it; who wakes writes nothing");
  }

  ArchRule dialectsKnowNothingAboveThem() {
    return knowsNone(
            "dialect",
            "connect",
            "schema",
            "journal",
            "register",
            "strategy",
            "wake",
            "lease",
            "rowlock")
        .because("everything else stands on them");
  }

  private DescribedPredicate<JavaClass> not(String simpleName) {
    return describe(
        "are not " + simpleName, type -> !type.getFullName().startsWith(root + "." + simpleName));
  }

  private ArchRule knowsNone(String part, String... parts) {
    return noClasses()
        .that()
        .resideInAPackage(root + "." + part + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            Arrays.stream(parts).map(each -> root + "." + each + "..").toArray(String[]::new));
  }
}
