package dev.pawl.jdbc.strategy;

import dev.pawl.PawlException;
import dev.pawl.jdbc.sql.Utf8;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clean-up of a store, now and then, on a thread of its own: nobody who waits for a lock stands
 * behind it. A store that is closed before the first time cleans up a little as it goes, so that
 * processes that live for a second leave no more behind than others.
 */
public final class Upkeep implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);

  private static final long MOST_PERIOD_SECONDS = 300;
  private static final byte[] BEGINNING = {};

  private final Slices slices;
  private final ScheduledThreadPoolExecutor timer;
  private volatile boolean done;
  private volatile boolean closed;
  private volatile @Nullable String used;

  /** Returns the clean-up of names that are idle for that long, and begins it. */
  public Upkeep(Slices slices, Duration retention) {
    this.slices = slices;
    this.timer = Timers.timer("pawl-jdbc-clean-up");
    long period = Math.max(1, Math.min(MOST_PERIOD_SECONDS, retention.toSeconds() / 2));
    var unused = timer.scheduleWithFixedDelay(this::run, period, period, TimeUnit.SECONDS);
  }

  /** A clean-up of the names of a store, some hundred at a time, in the order of their bytes. */
  @FunctionalInterface
  public interface Slices {
    /**
     * Forgets what is idle among the next names behind that one.
     *
     * @return where the next slice begins; nothing at the end of the names
     */
    Optional<byte[]> cleanUp(byte[] after);
  }

  /** Hears that a name is in use: what was left behind is most likely near it. */
  public void onUsed(String name) {
    used = name;
  }

  /** Hears that the store does not answer: then nothing is to be cleaned up on leaving. */
  public void onFailure() {
    used = null;
  }

  private void run() {
    try {
      Optional<byte[]> next = Optional.of(BEGINNING);
      while (next.isPresent() && !closed) {
        next = slices.cleanUp(next.get());
      }
      done = true;
    } catch (PawlException e) {
      LOG.debug("clean-up failed, and is tried again later: {}", e.getMessage());
    } catch (Throwable e) {
      // An error too: whatever it is, it must not be the last clean-up.
      LOG.warn("clean-up failed, and is tried again later; please report this", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    // Without an interrupt: one in a thread that reads H2's file closes the database, and with it
    // that of an application which has the same one open.
    timer.shutdown();
    String near = used;
    if (done || near == null || Thread.currentThread().isInterrupted()) {
      return;
    }
    try {
      if (slices.cleanUp(Utf8.bytes(near)).isEmpty()) {
        slices.cleanUp(BEGINNING);
      }
    } catch (PawlException e) {
      LOG.debug("clean-up failed: {}", e.getMessage());
    }
  }
}
