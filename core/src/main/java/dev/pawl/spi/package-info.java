/**
 * What a backend implements, and the values it is asked with and answers with.
 *
 * <p>{@link dev.pawl.spi.LockStore} is the interface; the records of {@link dev.pawl.spi.Command}
 * are the requests; replies and {@link dev.pawl.spi.Signal}s are sealed. The meaning of every
 * command is that of {@code dev.pawl.machine.LockMachine}, which a store runs, or is compared with.
 *
 * <p>Time in these values is the store's own clock in microseconds (I12). A node never compares it
 * with a clock of its own; it only uses the difference of two readings of the same store.
 */
@NullMarked
package dev.pawl.spi;

import org.jspecify.annotations.NullMarked;
