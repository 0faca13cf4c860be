package dev.pawl.spi;

/** The store's answer to {@link Registers#compareAndSet}. */
public sealed interface RegisterReply {

  /** Returns what stands in the store now. */
  Register register();

  /** It was written. */
  record Written(Register register) implements RegisterReply {}

  /**
   * Somebody has written it meanwhile, and nothing was changed.
   *
   * @param register what stands there instead. After a write that was not answered it may be one's
   *     own: see {@link Registers#compareAndSet}
   */
  record Changed(Register register) implements RegisterReply {}
}
