/** {@code pawl doctor}: whether a store is fit to keep locks. */
@NullMarked
package dev.pawl.cli.doctor;

import org.jspecify.annotations.NullMarked;
