/**
 * The parts of a store on one Redis, Sentinel or a cluster: its keys, its scripts, and what is said
 * to them. Knows no client. Internal: not exported.
 */
@NullMarked
package dev.pawl.redis.store;

import org.jspecify.annotations.NullMarked;
