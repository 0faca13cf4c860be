/** Benchmarks, each with its yardstick in the same run. */
@NullMarked
package dev.pawl.bench;

import org.jspecify.annotations.NullMarked;
