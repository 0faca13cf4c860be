/**
 * The reference store: the lock machine behind an atomic map, for one process.
 *
 * <p><b>What is stored:</b> a {@code LockState} for each name in use. <b>What makes it atomic:</b>
 * the map computes one entry at a time. <b>Which clock:</b> the process's monotonic one, set to the
 * time of day once. <b>What happens on failure:</b> it ends with its process, and nothing else can
 * fail.
 *
 * <p>Several nodes of one process may share a store, which makes it the one for unit tests.
 */
@NullMarked
package dev.pawl.memory;

import org.jspecify.annotations.NullMarked;
