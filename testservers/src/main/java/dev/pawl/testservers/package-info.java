/**
 * Real servers for tests, from archives on the class path: each can be started, stopped, killed,
 * paused and restarted.
 */
@NullMarked
package dev.pawl.testservers;

import org.jspecify.annotations.NullMarked;
