/**
 * Pawl in Spring Boot: the store that the application has, properties {@code pawl.*}, health, the
 * endpoint {@code pawl} and events.
 */
@org.jspecify.annotations.NullMarked
package dev.pawl.spring.boot;
