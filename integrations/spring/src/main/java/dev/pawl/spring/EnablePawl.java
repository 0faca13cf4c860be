package dev.pawl.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Turns on {@link Locked} and {@link OncePerTick} in a Spring application that is not a Spring Boot
 * one; there the starter does it. The context needs a bean of type {@code dev.pawl.Pawl}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(PawlConfiguration.class)
public @interface EnablePawl {}
