/**
 * The public API of Pawl, a distributed lock: {@link dev.pawl.Pawl} is where everything starts.
 *
 * <p>This package depends on no other package of Pawl. What implements it is found at run time, and
 * the stores that remember who holds what are found by URL.
 */
@NullMarked
package dev.pawl;

import org.jspecify.annotations.NullMarked;
