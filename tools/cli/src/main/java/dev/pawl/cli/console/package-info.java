/** {@code pawl console}: the page for the browser. */
@NullMarked
package dev.pawl.cli.console;

import org.jspecify.annotations.NullMarked;
