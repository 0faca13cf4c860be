/** The journal of what happened to names, in a table of its own. */
@NullMarked
package dev.pawl.jdbc.journal;

import org.jspecify.annotations.NullMarked;
