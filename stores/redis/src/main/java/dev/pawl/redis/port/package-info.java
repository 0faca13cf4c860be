/**
 * What the stores need of a client library, and what every client needs: the port, a script, the
 * address of a server, and what a failure means. Internal: not exported.
 */
@NullMarked
package dev.pawl.redis.port;

import org.jspecify.annotations.NullMarked;
