package dev.pawl.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * A test that starts processes: it runs with the newest Spring Boot, with the older one at length
 * only. What it shows, that nodes in different processes exclude each other, is in core and in the
 * stores; where the versions of Spring differ, how annotations are found, contexts are made and
 * beans end, is in the tests without processes, which run with both.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIf(
    value = "dev.pawl.spring.AppProcess#isNewestOrLong",
    disabledReason =
        "processes are started with the newest Spring Boot; here with -Dpawl.long=true")
@interface NewestBoot {}
