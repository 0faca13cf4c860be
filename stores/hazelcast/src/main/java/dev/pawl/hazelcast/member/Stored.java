package dev.pawl.hazelcast.member;

import dev.pawl.machine.LockState;
import dev.pawl.machine.StateCodec;
import java.nio.ByteBuffer;

/**
 * The value of an entry: the state of a name, and the time of the last turn that changed it.
 *
 * @param clock whose time it is: that of the member that made the turn
 * @param micros what that clock showed
 */
public record Stored(long clock, long micros, LockState state) {

  private static final int HEADER = 2 * Long.BYTES;

  byte[] encode() {
    byte[] bytes = StateCodec.encode(state);
    return ByteBuffer.allocate(HEADER + bytes.length)
        .putLong(clock)
        .putLong(micros)
        .put(bytes)
        .array();
  }

  /** Reads a value. */
  public static Stored decode(byte[] value) {
    if (value.length < HEADER) {
      throw new IllegalArgumentException(
          "a lock's entry of " + value.length + " bytes is not ours");
    }
    ByteBuffer buffer = ByteBuffer.wrap(value);
    long clock = buffer.getLong();
    long micros = buffer.getLong();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return new Stored(clock, micros, StateCodec.decode(bytes));
  }

  /**
   * Returns this as it is now, by the clock of the member that has the entry.
   *
   * <p>If another member made the last turn, nobody knows how much time has passed since: the two
   * clocks may differ by whatever a wall clock was set. So no time has, and everybody has as much
   * left as they had then (I1, I12). What can be forgotten is, whether it was swept yet or not.
   */
  Stored asOf(MemberClock now) {
    long time = now.microsAfter(micros);
    LockState current = clock == now.id() ? state : later(state, time - micros);
    return new Stored(now.id(), time, current.isForgettable(time) ? LockState.EMPTY : current);
  }

  private static LockState later(LockState state, long by) {
    return new LockState(
        state.lastToken(),
        state.mark(),
        state.mark().isPresent() ? state.markUntilMicros() + by : state.markUntilMicros(),
        state.holders().stream().map(holder -> later(holder, by)).toList(),
        state.queue().stream().map(waiter -> later(waiter, by)).toList(),
        state.ended().stream()
            .map(ended -> new LockState.Ended(ended.claim(), ended.untilMicros() + by))
            .toList());
  }

  private static LockState.Holder later(LockState.Holder holder, long by) {
    return new LockState.Holder(
        holder.claim(),
        holder.permits(),
        holder.token(),
        holder.span(),
        holder.sinceMicros() + by,
        holder.untilMicros() + by,
        holder.label(),
        holder.actor());
  }

  private static LockState.Waiter later(LockState.Waiter waiter, long by) {
    return new LockState.Waiter(
        waiter.claim(),
        waiter.permits(),
        waiter.capacity(),
        waiter.leaseMicros(),
        waiter.span(),
        waiter.mark(),
        waiter.fair(),
        waiter.sinceMicros() + by,
        waiter.aliveUntilMicros() + by,
        waiter.label(),
        waiter.actor());
  }
}
