/** What every strategy does, and the clean-up that goes on beside it. */
@NullMarked
package dev.pawl.jdbc.strategy;

import org.jspecify.annotations.NullMarked;
