/** The search for threads that wait for each other, in all nodes. */
@NullMarked
package dev.pawl.engine.deadlocks;

import org.jspecify.annotations.NullMarked;
