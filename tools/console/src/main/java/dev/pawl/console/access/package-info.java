/** Who looks, what they may do, and how that is kept apart. */
@NullMarked
package dev.pawl.console.access;

import org.jspecify.annotations.NullMarked;
