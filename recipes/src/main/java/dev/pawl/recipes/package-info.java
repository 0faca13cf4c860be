/** The recipes of the guide, as they stand there: compiled and tested. */
@NullMarked
package dev.pawl.recipes;

import org.jspecify.annotations.NullMarked;
