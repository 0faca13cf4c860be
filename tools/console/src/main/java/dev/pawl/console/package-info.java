/**
 * A page on which one sees who holds what, and steps in: {@link dev.pawl.console.ConsoleServlet} on
 * the server of an application, {@code dev.pawl.console.server} on one of its own.
 */
@NullMarked
package dev.pawl.console;

import org.jspecify.annotations.NullMarked;
