/** The commands that look at a store, and the one that steps in. */
@NullMarked
package dev.pawl.cli.look;

import org.jspecify.annotations.NullMarked;
