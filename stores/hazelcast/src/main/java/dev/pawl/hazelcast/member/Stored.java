package dev.pawl.hazelcast.member;

import dev.pawl.machine.LockState;
import dev.pawl.machine.StateCodec;
import java.nio.ByteBuffer;

/**
 * The value of an entry: the state of a name, and the time of the last turn that changed it.
 *
 * @param micros by the clock of the member that made the turn
 */
public record Stored(long micros, LockState state) {

  /**
   * How long an entry stays after everybody in it has expired. Hazelcast counts in seconds and by
   * the member's wall clock, so it is never the entry's end that decides.
   */
  private static final long MARGIN_MICROS = 5_000_000;

  byte[] encode() {
    byte[] bytes = StateCodec.encode(state);
    return ByteBuffer.allocate(Long.BYTES + bytes.length).putLong(micros).put(bytes).array();
  }

  /** Reads a value. */
  public static Stored decode(byte[] value) {
    if (value.length < Long.BYTES) {
      throw new IllegalArgumentException(
          "a lock's entry of " + value.length + " bytes is not ours");
    }
    ByteBuffer buffer = ByteBuffer.wrap(value);
    long micros = buffer.getLong();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return new Stored(micros, StateCodec.decode(bytes));
  }

  /** Returns for how long the entry is needed if nobody uses the name any more. */
  long lifeMillis() {
    long last = Math.max(state.lastToken(), state.markUntilMicros());
    for (LockState.Holder holder : state.holders()) {
      last = Math.max(last, holder.untilMicros());
    }
    for (LockState.Waiter waiter : state.queue()) {
      last = Math.max(last, waiter.aliveUntilMicros());
    }
    for (LockState.Ended ended : state.ended()) {
      last = Math.max(last, ended.untilMicros());
    }
    return (Math.max(0, last - micros) + MARGIN_MICROS) / 1_000;
  }
}
