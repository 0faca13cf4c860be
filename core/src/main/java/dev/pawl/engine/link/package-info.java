/**
 * A node's way to its store: calls on the right thread, what is repeated until it is answered, how
 * long that takes, and what a failure means (I11).
 */
@NullMarked
package dev.pawl.engine.link;

import org.jspecify.annotations.NullMarked;
