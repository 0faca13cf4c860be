package dev.pawl.jdbc.dialect;

import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.machine.LockState;
import dev.pawl.machine.StateCodec;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Grant;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A lease record as it was read: everything that the table of locks says about one name.
 *
 * <p>A state with at most one holder and nobody else stands in columns of its own, which the fast
 * statements for acquire and release know; any other is written whole into {@code rest}, and the
 * column {@code claim} is null. {@code until_us} is the time at which everybody in the record has
 * expired: from then on the name is free, whatever is in it. A release sets it to 0 and leaves the
 * other columns of the holder, who is gone then: a record that keeps its length is cheaper to
 * write.
 *
 * @param nowMicros the database's clock at that time
 * @param exists whether there is a record
 * @param version the number of the record's last change
 * @param state what it says; empty if there is none
 */
public record LeaseRecord(long nowMicros, boolean exists, long version, LockState state) {

  /** The mark of a name without one. */
  public static final long NO_MARK = -1;

  /** The columns of a record but its name, in the order in which they are read and written. */
  public static final String COLUMNS =
      "version, last_token, mark, mark_until_us, claim, permits, token, span, since_us, until_us,"
          + " label, actor, rest";

  /** How many columns {@link #values} has a value for: all but the version. */
  public static final int VALUES = 12;

  /** Reads the clock and {@link #COLUMNS}, beginning with the column {@code first}. */
  public static LeaseRecord of(ResultSet result, int first) throws SQLException {
    long now = result.getLong(first);
    long version = result.getLong(first + 1);
    if (result.wasNull()) {
      return new LeaseRecord(now, false, 0, LockState.EMPTY);
    }
    return new LeaseRecord(now, true, version, state(result, first + 2));
  }

  private static LockState state(ResultSet result, int first) throws SQLException {
    byte @Nullable [] rest = result.getBytes(first + 11);
    if (rest != null) {
      return StateCodec.decode(rest);
    }
    long lastToken = result.getLong(first);
    long mark = result.getLong(first + 1);
    byte @Nullable [] claim = result.getBytes(first + 3);
    long until = result.getLong(first + 8);
    List<LockState.Holder> holders =
        claim == null || until == 0
            ? List.of()
            : List.of(
                new LockState.Holder(
                    ClaimId.parse(Utf8.text(claim)),
                    result.getInt(first + 4),
                    result.getLong(first + 5),
                    result.getInt(first + 6),
                    result.getLong(first + 7),
                    until,
                    Utf8.text(result.getBytes(first + 9)),
                    Utf8.text(result.getBytes(first + 10))));
    return new LockState(
        lastToken,
        mark == NO_MARK ? OptionalLong.empty() : OptionalLong.of(mark),
        result.getLong(first + 2),
        holders,
        List.of(),
        List.of());
  }

  /** Returns the grant of a holder, as it is told at the time of the reading. */
  public Grant grant(LockState.Holder holder) {
    return new Grant(
        holder.claim(), holder.token(), holder.span(), holder.untilMicros(), nowMicros);
  }

  /** Tells whether the state fits into the columns. */
  public static boolean isSimple(LockState state) {
    return state.queue().isEmpty()
        && state.ended().isEmpty()
        && (state.holders().isEmpty()
            || (state.holders().size() == 1
                && state.holders().get(0).lastToken() == state.lastToken()));
  }

  /** Returns the values of a state, in the order of the columns from {@code last_token} on. */
  public static List<@Nullable Object> values(LockState state) {
    boolean simple = isSimple(state);
    LockState.@Nullable Holder holder =
        simple && !state.holders().isEmpty() ? state.holders().get(0) : null;
    return Arrays.asList(
        state.lastToken(),
        state.mark().orElse(NO_MARK),
        state.markUntilMicros(),
        holder == null ? null : Utf8.bytes(holder.claim().toString()),
        holder == null ? 0 : holder.permits(),
        holder == null ? 0L : holder.token(),
        holder == null ? 0 : holder.span(),
        holder == null ? 0L : holder.sinceMicros(),
        expiryMicros(state),
        holder == null ? null : Utf8.bytes(holder.label()),
        holder == null ? null : Utf8.bytes(holder.actor()),
        simple ? null : StateCodec.encode(state));
  }

  private static long expiryMicros(LockState state) {
    long latest = 0;
    for (LockState.Holder holder : state.holders()) {
      latest = Math.max(latest, holder.untilMicros());
    }
    for (LockState.Waiter waiter : state.queue()) {
      latest = Math.max(latest, waiter.aliveUntilMicros());
    }
    for (LockState.Ended ended : state.ended()) {
      latest = Math.max(latest, ended.untilMicros());
    }
    return latest;
  }
}
