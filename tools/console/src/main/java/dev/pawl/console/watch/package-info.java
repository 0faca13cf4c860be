/** What the console sees of a store: read once for all who look. */
@NullMarked
package dev.pawl.console.watch;

import org.jspecify.annotations.NullMarked;
