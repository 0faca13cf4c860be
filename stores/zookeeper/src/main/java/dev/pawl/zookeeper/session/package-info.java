/** The session at the servers, and the requests in it. Internal. */
@NullMarked
package dev.pawl.zookeeper.session;

import org.jspecify.annotations.NullMarked;
