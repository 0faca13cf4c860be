package dev.pawl.degrade;

import dev.pawl.degrade.PairState.After;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does over and over: it looks at the primary and at its claims, reads the clock, and
 * renews its mode lease when that is due.
 */
final class Heartbeat {

  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
  private static final long MOST_TICK_NANOS = 200_000_000L;
  private static final long CLOCK_NANOS = 600_000_000_000L;

  private final PairState state;
  private final Losing losing;
  private final Granting granting;
  private final PrimaryWatch watch;
  private final BackupWatch backupWatch;
  private final TokenProbe tokens;
  private final RecordExchange exchange;
  private final long tickNanos;

  /** Whether the last heartbeat failed, which is said once. */
  private volatile boolean failing;

  // Guarded by the lock of the pair.
  private boolean clockRead;
  private long clockNanos;
  private boolean closed;

  Heartbeat(
      PairState state,
      Losing losing,
      Granting granting,
      PrimaryWatch watch,
      BackupWatch backupWatch,
      TokenProbe tokens,
      RecordExchange exchange,
      PairOptions options) {
    this.state = state;
    this.losing = losing;
    this.granting = granting;
    this.watch = watch;
    this.backupWatch = backupWatch;
    this.tokens = tokens;
    this.exchange = exchange;
    this.tickNanos = tickNanos(options);
  }

  static long tickNanos(PairOptions options) {
    return Math.min(MOST_TICK_NANOS, options.modeLease().toNanos() / 20);
  }

  void start() {
    tick();
  }

  private void tickAgain() {
    try {
      tick();
      failing = false;
    } catch (Throwable e) {
      if (!failing) {
        LOG.error("a heartbeat of the pair failed; the next one comes all the same", e);
      }
      failing = true;
      throw e;
    }
  }

  void stop() {
    state.run(after -> closed = true);
    exchange.stop();
  }

  private void tick() {
    if (state.locked(after -> closed)) {
      return;
    }
    try {
      look();
      exchange.exchange();
    } finally {
      // Whatever was thrown: a node that does not renew its mode lease any more locks nothing.
      state.world.timer().in(tickNanos, this::tickAgain);
    }
  }

  private void look() {
    state.run(
        after -> {
          long now = state.now();
          losing.onRecord(after);
          state.unpark(after);
          if (watch.look(now)) {
            after.add(watch::probe);
          }
          backupWatch.look(now).ifPresent(warning -> LOG.warn("{}{}", warning, state.backupSays()));
          readClock(now, after);
          tokens.probe(now, after);
          after.add(granting::moveHeld);
        });
  }

  private void readClock(long now, After after) {
    if (clockRead && now - clockNanos < CLOCK_NANOS) {
      return;
    }
    clockRead = true;
    // Until it is known, it is asked again with every second.
    clockNanos = state.clock.isRead() ? now : now - CLOCK_NANOS + 1_000_000_000L;
    after.add(
        () -> {
          var unused =
              state
                  .backup
                  .now(store -> store.nowMicros())
                  .thenAccept(
                      micros -> state.run(then -> state.clock.onRead(now, state.now(), micros)));
        });
  }
}
