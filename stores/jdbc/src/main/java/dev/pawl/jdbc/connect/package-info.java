/** The store's connections: made from a URL or lent, kept in a pool, replaced when they break. */
@NullMarked
package dev.pawl.jdbc.connect;

import org.jspecify.annotations.NullMarked;
