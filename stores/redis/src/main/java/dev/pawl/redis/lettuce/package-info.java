/** The port over Lettuce. Internal: not exported. */
@NullMarked
package dev.pawl.redis.lettuce;

import org.jspecify.annotations.NullMarked;
