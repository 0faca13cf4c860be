/** Competitors that more than one suite has: Pawl, and the adapters of its peers' interfaces. */
@NullMarked
package dev.pawl.bench.peer;

import org.jspecify.annotations.NullMarked;
