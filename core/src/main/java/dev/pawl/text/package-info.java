/** How values are written in URLs, options and messages; depends on nothing. */
@NullMarked
package dev.pawl.text;

import org.jspecify.annotations.NullMarked;
