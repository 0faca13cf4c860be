/** The nodes by which locks are kept, and what a list of them means: no I/O. Internal. */
@NullMarked
package dev.pawl.zookeeper.tree;

import org.jspecify.annotations.NullMarked;
