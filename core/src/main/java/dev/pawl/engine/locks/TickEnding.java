package dev.pawl.engine.locks;

import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Makes what ends a job's tick in the store.
 *
 * @param <R> what the store is found to have made of it
 */
@FunctionalInterface
public interface TickEnding<R> {

  /**
   * Returns the command, which may be sent more than once.
   *
   * @param release what gives up the claim and raises the mark
   * @param heldUntilMicros until when the claim is held at least, by the store's clock
   */
  Function<LockStore, CompletionStage<R>> of(Command.Release release, long heldUntilMicros);
}
