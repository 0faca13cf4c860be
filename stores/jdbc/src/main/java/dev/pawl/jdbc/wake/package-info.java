/**
 * How waiters wake: who waits here, and how they hear of what others wrote.
 *
 * <p>Nothing is written to a table here: whoever writes asks which notifications go with it.
 */
@NullMarked
package dev.pawl.jdbc.wake;

import org.jspecify.annotations.NullMarked;
