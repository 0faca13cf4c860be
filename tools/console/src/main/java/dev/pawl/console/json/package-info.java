/** JSON, written and read: no library, as an application that mounts the console has its own. */
@NullMarked
package dev.pawl.console.json;

import org.jspecify.annotations.NullMarked;
