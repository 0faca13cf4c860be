/**
 * How messages are heard, whatever the client: connections that are watched, replaced when they are
 * silent, and followed when a slot moves. Internal: not exported.
 */
@NullMarked
package dev.pawl.redis.feed;

import org.jspecify.annotations.NullMarked;
