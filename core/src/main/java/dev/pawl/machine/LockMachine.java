package dev.pawl.machine;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The lock of one name, as a pure function of state, command and time. The numbers I1 to I12 are
 * those of {@code docs/invariants.md}.
 *
 * <h2>One rule for mutex, read-write lock and semaphore</h2>
 *
 * A claim takes permits. It fits if the permits held plus its own do not exceed its own capacity.
 * An exclusive claim takes {@link Command#EVERYTHING}; a shared one takes 1 of as much; a
 * semaphore's takes k of n. A claim is granted when it fits and no fair claim waits ahead of it.
 * That is all.
 *
 * <h2>One turn</h2>
 *
 * Every command is a turn. First, whoever has expired by the clock goes: holders whose lease ended,
 * waiters who have not been heard of. Then the command does its part: it removes a claim, or adds
 * one at the end of the queue. Last, the queue is granted from its head while it fits. So a command
 * that was sent by anybody, for whatever reason, also moves on everybody else who can move; there
 * is no other clock or sweeper in a lock, and none is needed as long as somebody asks. Nobody asks
 * only if nobody waits.
 *
 * <p>The next holder is thus chosen in the turn that frees the name, and told by a signal. It does
 * not ask, so it may be dead: such a grant lasts for {@link #CLAIM_WINDOW_MICROS} and is extended
 * to the full lease when its node renews it for the first time (I6). A claim granted in the turn of
 * its own acquire has the full lease from the start.
 *
 * <p>A dead waiter thus costs those behind it the claim window. Its node's other waiters do not
 * cost as much again: if a grant ends unconfirmed, those of the same node go with it that have not
 * been heard of since. And one at the head of the queue that does not fit, while another behind it
 * would, is bid show life if it was far back when it was last heard of: such waiters show it
 * rarely.
 *
 * <h2>Tokens</h2>
 *
 * Every grant takes the next token: one more than the last, or the clock in microseconds if that is
 * more. A store that lost its memory thus goes on above everything it gave out before, as long as
 * its clock does not step back and tokens are not given out faster than one a microsecond (I3). The
 * second is why a release says how much of its span was used: the rest is given back.
 *
 * <h2>Repeated and late commands</h2>
 *
 * A repeated acquire finds its claim and gets the same grant, or its place in the queue. A repeated
 * release finds nothing. What could hurt is a copy of an acquire that arrives after its claim was
 * released: it would take the name for nobody. A node that left an acquire unanswered behind
 * therefore says so when it ends the claim ({@code late}), and the claim is remembered as ended for
 * {@link #ENDED_MICROS} (I5). So is one that was released by force, whose node was not asked.
 */
public final class LockMachine {

  /**
   * How long a grant lasts that was made while its node did not ask. A dead waiter costs the next
   * one this long, so it is short; a waiter whose signal was lost polls within it.
   */
  public static final long CLAIM_WINDOW_MICROS = 2_000_000;

  /**
   * How long a waiter near the head of the queue is believed alive after a sign of life. Those
   * behind a dead one wait as long, if it is not granted meanwhile (I6). One that is silent for
   * longer loses its place, nothing else.
   */
  public static final long WAITER_ALIVE_MICROS = CLAIM_WINDOW_MICROS;

  /** How many waiters have to be ahead of one that need not show life as often. */
  public static final int FAR_AHEAD = 8;

  /**
   * How long a waiter is believed alive that had {@link #FAR_AHEAD} others ahead of it when it was
   * last heard of: a thousand of them, each with a heartbeat a second, would keep a store busy with
   * nothing else.
   */
  public static final long FAR_WAITER_ALIVE_MICROS = 30_000_000;

  /** How long a command may be under way, lost in a proxy or in a stalled server thread. */
  public static final long ENDED_MICROS = 60_000_000;

  /** How many ended claims are remembered, the latest, so that no state grows without bound. */
  public static final int MOST_ENDED = 100;

  private LockMachine() {}

  /**
   * Returns how long a waiter is believed alive without another sign of life.
   *
   * @param ahead how many others wait ahead of it
   */
  public static long aliveMicros(int ahead) {
    return ahead < FAR_AHEAD ? WAITER_ALIVE_MICROS : FAR_WAITER_ALIVE_MICROS;
  }

  /** Asks for the name: granted, queued, busy, done, or ended long ago. */
  public static Step<AcquireReply> acquire(LockState state, Command.Acquire command, long now) {
    Turn turn = new Turn(state, command.name(), now);
    return turn.step(turn.ask(command));
  }

  /** Extends a holder's lease or a waiter's life. */
  public static Step<RenewReply> renew(LockState state, Command.Renew command, long now) {
    Turn turn = new Turn(state, command.name(), now);
    turn.refresh(command.claim(), command.permits(), command.leaseMicros(), command.actor());
    turn.grantQueue(command.claim());
    return turn.step(turn.standing(command.claim()));
  }

  /** Gives up a grant, raises the mark, and grants the queue. */
  public static Step<ReleaseReply> release(LockState state, Command.Release command, long now) {
    Turn turn = new Turn(state, command.name(), now);
    boolean held = turn.end(command);
    turn.grantQueue(null);
    return turn.step(held ? ReleaseReply.RELEASED : ReleaseReply.GONE);
  }

  /** Gives up a grant and asks again, behind everybody who waits. */
  public static Step<AcquireReply> yieldGrant(LockState state, Command.Yield command, long now) {
    Turn turn = new Turn(state, command.name(), now);
    // I5: the end of a tick keeps the name only if it ended it; a late copy of it takes nothing.
    return turn.step(
        turn.end(command.release()) || command.release().mark().isEmpty()
            ? turn.ask(command.next())
            : turn.look(command.next()));
  }

  /** Gives up a claim, whether it waits or holds. */
  public static Step<CancelReply> cancel(LockState state, Command.Cancel command, long now) {
    Turn turn = new Turn(state, command.name(), now);
    CancelReply reply = turn.cancel(command.claim(), command.late());
    turn.grantQueue(null);
    return turn.step(reply);
  }

  /** Removes the holder with that token. */
  public static Step<EvictReply> evict(LockState state, Command.Evict command, long now) {
    Turn turn = new Turn(state, command.name(), now);
    EvictReply reply = turn.evict(command.token());
    turn.grantQueue(null);
    return turn.step(reply);
  }

  /** Lowers the mark, if it is the one that was seen. */
  public static Step<ResetReply> reset(LockState state, Command.Reset command, long now) {
    Turn turn = new Turn(state, command.name(), now);
    ResetReply reply = turn.reset(command);
    turn.grantQueue(null);
    return turn.step(reply);
  }

  /** Returns what people see of a name: those who have expired by the clock are left out. */
  public static LockInfo describe(String name, LockState state, long now) {
    List<LockInfo.Holder> holders =
        state.holders().stream()
            .filter(h -> h.untilMicros() > now)
            .map(
                h ->
                    new LockInfo.Holder(
                        h.claim().toString(),
                        h.label(),
                        h.actor(),
                        h.permits() == Command.EVERYTHING,
                        h.permits(),
                        h.token(),
                        instant(h.sinceMicros()),
                        Duration.of(h.untilMicros() - now, ChronoUnit.MICROS)))
            .toList();
    List<LockInfo.Waiter> waiters =
        state.queue().stream()
            .filter(w -> w.aliveUntilMicros() > now)
            .map(
                w ->
                    new LockInfo.Waiter(
                        w.claim().toString(),
                        w.label(),
                        w.actor(),
                        w.permits() == Command.EVERYTHING,
                        w.permits(),
                        instant(w.sinceMicros())))
            .toList();
    return new LockInfo(name, state.lastToken(), state.mark(), holders, waiters);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
