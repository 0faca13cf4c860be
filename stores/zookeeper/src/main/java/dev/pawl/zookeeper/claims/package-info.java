/** The claims of this process in the lines of their names. Internal. */
@NullMarked
package dev.pawl.zookeeper.claims;

import org.jspecify.annotations.NullMarked;
