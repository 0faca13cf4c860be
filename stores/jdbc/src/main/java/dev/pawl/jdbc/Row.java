package dev.pawl.jdbc;

import dev.pawl.machine.LockState;
import dev.pawl.machine.StateCodec;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Grant;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A name's row as it was read.
 *
 * <p>A state with at most one holder and nobody else stands in columns of its own, which the fast
 * statements for acquire and release know; any other is written whole into {@code rest}, and the
 * column {@code claim} is null. {@code until_us} is the time at which everybody in the row is over:
 * from then on the name is free, whatever is in it. A release sets it to 0 and leaves the other
 * columns of the holder, who is gone then: a row that keeps its length is cheaper to write.
 *
 * @param nowMicros the database's clock at that time
 * @param exists whether there is a row
 * @param version the number of the row's last change
 * @param state what it says; empty if there is none
 */
record Row(long nowMicros, boolean exists, long version, LockState state) {

  /** The mark of a name without one. */
  static final long NO_MARK = -1;

  static final String COLUMNS =
      "version, last_token, mark, mark_until_us, claim, permits, token, span, since_us, until_us, label, actor,"
          + " rest";

  /** Reads the clock and {@link #COLUMNS}, beginning with the column {@code first}. */
  static Row of(ResultSet result, int first) throws SQLException {
    long now = result.getLong(first);
    long version = result.getLong(first + 1);
    if (result.wasNull()) {
      return new Row(now, false, 0, LockState.EMPTY);
    }
    return new Row(now, true, version, state(result, first + 2));
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
                    ClaimId.parse(text(claim)),
                    result.getInt(first + 4),
                    result.getLong(first + 5),
                    result.getInt(first + 6),
                    result.getLong(first + 7),
                    until,
                    text(result.getBytes(first + 9)),
                    text(result.getBytes(first + 10))));
    return new LockState(
        lastToken,
        mark == NO_MARK ? OptionalLong.empty() : OptionalLong.of(mark),
        result.getLong(first + 2),
        holders,
        List.of(),
        List.of());
  }

  /** Returns the grant of a holder, as it is told at the time of the reading. */
  Grant grant(LockState.Holder holder) {
    return new Grant(
        holder.claim(), holder.token(), holder.span(), holder.untilMicros(), nowMicros);
  }

  /** Tells whether the state fits into the columns. */
  static boolean isSimple(LockState state) {
    return state.queue().isEmpty()
        && state.ended().isEmpty()
        && (state.holders().isEmpty()
            || (state.holders().size() == 1
                && state.holders().get(0).lastToken() == state.lastToken()));
  }

  /** Sets the parameters of a state, in the order of the columns from {@code last_token} on. */
  static int bind(PreparedStatement statement, int first, LockState state) throws SQLException {
    boolean simple = isSimple(state);
    LockState.@Nullable Holder holder =
        simple && !state.holders().isEmpty() ? state.holders().get(0) : null;
    int i = first;
    statement.setLong(i++, state.lastToken());
    statement.setLong(i++, state.mark().orElse(NO_MARK));
    statement.setLong(i++, state.markUntilMicros());
    statement.setBytes(i++, holder == null ? null : bytes(holder.claim().toString()));
    statement.setInt(i++, holder == null ? 0 : holder.permits());
    statement.setLong(i++, holder == null ? 0 : holder.token());
    statement.setInt(i++, holder == null ? 0 : holder.span());
    statement.setLong(i++, holder == null ? 0 : holder.sinceMicros());
    statement.setLong(i++, overAt(state));
    statement.setBytes(i++, holder == null ? null : bytes(holder.label()));
    statement.setBytes(i++, holder == null ? null : bytes(holder.actor()));
    statement.setBytes(i++, simple ? null : StateCodec.encode(state));
    return i;
  }

  private static long overAt(LockState state) {
    long over = 0;
    for (LockState.Holder holder : state.holders()) {
      over = Math.max(over, holder.untilMicros());
    }
    for (LockState.Waiter waiter : state.queue()) {
      over = Math.max(over, waiter.aliveUntilMicros());
    }
    for (LockState.Ended ended : state.ended()) {
      over = Math.max(over, ended.untilMicros());
    }
    return over;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte @Nullable [] bytes) {
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }
}
