/**
 * The algorithm over several independent servers: votes, tokens, clocks. Knows no client. Internal:
 * not exported.
 */
@NullMarked
package dev.pawl.redis.redlock;

import org.jspecify.annotations.NullMarked;
