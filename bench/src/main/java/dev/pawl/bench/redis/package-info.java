/** The suites on Redis: one server, and five for Redlock. */
@NullMarked
package dev.pawl.bench.redis;

import org.jspecify.annotations.NullMarked;
