/** The conformance suite that every store passes, and what it is built from. */
@NullMarked
package dev.pawl.testkit;

import org.jspecify.annotations.NullMarked;
