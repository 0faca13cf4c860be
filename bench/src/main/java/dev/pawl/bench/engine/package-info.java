/** What the engine costs, on the memory store: benchmarks of JMH. */
@NullMarked
package dev.pawl.bench.engine;

import org.jspecify.annotations.NullMarked;
