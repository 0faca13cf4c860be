/** The registers of a store. */
@NullMarked
package dev.pawl.jdbc.register;

import org.jspecify.annotations.NullMarked;
