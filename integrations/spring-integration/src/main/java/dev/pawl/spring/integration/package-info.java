/** Spring Integration's lock registry over Pawl. */
@org.jspecify.annotations.NullMarked
package dev.pawl.spring.integration;
