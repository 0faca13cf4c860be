/**
 * The conformance suite that every store passes, and what it is built from.
 *
 * <p>The author of a store extends {@link dev.pawl.testkit.StoreConformance}, says how to open the
 * store, and gets every case. {@link dev.pawl.testkit.ForwardingStore} and {@link
 * dev.pawl.testkit.CountingStore} stand in front of a store for tests of one's own.
 *
 * <p>Whoever uses locks tests with {@link dev.pawl.testkit.PawlTest} what his code does when a
 * lease is lost.
 */
@NullMarked
package dev.pawl.testkit;

import org.jspecify.annotations.NullMarked;
