/** The console on a server of its own. */
@NullMarked
package dev.pawl.console.server;

import org.jspecify.annotations.NullMarked;
