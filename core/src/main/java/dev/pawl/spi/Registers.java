package dev.pawl.spi;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Small values that a store keeps until they are changed, each under a key of its own: what must
 * not be forgotten, such as that a job is paused. They change by compare-and-set alone, do not
 * expire, and are as durable as the marks of the store. A store with {@link Capability#REGISTERS}
 * has them.
 *
 * <p>A read sees every write that was answered before it was asked, whichever instance of the store
 * sent it. A stage fails as those of {@link LockStore} do (I11); the refusal of a key or a value
 * that is not allowed is an {@link IllegalArgumentException}, thrown at once.
 */
public interface Registers {

  /** Returns what stands under a key; version 0 and no value if it was never written. */
  CompletionStage<Register> read(String key);

  /**
   * Writes a value if the register still has the version that was seen, and answers what stands
   * there then. Of all who saw the same version one is told {@link RegisterReply.Written}.
   *
   * <p>If there is no answer, it may have been written or may still be, once. Whoever repeats it
   * with the same arguments makes sure of that, and is then told {@link RegisterReply.Changed} with
   * the value that he has written himself. To know it for his own, let the value say who wrote it:
   * two who write the same text cannot be told apart.
   *
   * @param seen the register as it was read, or as the last write has left it; its version counts
   * @param value what to write; empty takes the value away and leaves the version
   */
  CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value);

  /**
   * Returns the registers that have a value and whose keys begin with {@code prefix}, byte for
   * byte, in the order of their bytes, {@code limit} at most. For people: it may cost the store a
   * walk over everything it has.
   */
  CompletionStage<List<Register>> list(String prefix, int limit);

  /** Returns the registers of a store that has none: they refuse, and say which stores have. */
  static Registers none(LockStore store) {
    return new NoRegisters(store);
  }
}
