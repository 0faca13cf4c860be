/** The port over Jedis. Internal: not exported. */
@NullMarked
package dev.pawl.redis.jedis;

import org.jspecify.annotations.NullMarked;
