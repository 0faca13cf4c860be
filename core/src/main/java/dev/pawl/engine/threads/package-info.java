/**
 * The threads of a node, and whose code may block which of them. See {@code docs/concurrency.md}.
 */
@NullMarked
package dev.pawl.engine.threads;

import org.jspecify.annotations.NullMarked;
