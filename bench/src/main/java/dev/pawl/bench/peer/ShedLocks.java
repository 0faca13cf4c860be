package dev.pawl.bench.peer;

import dev.pawl.bench.contest.Competitor;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;

/** ShedLock, which never waits: who is refused fails. */
public final class ShedLocks implements Competitor {

  /** Longer than a busy machine keeps a process waiting: nobody renews it. */
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final LockProvider provider;
  private final Runnable end;

  /** Takes locks from a provider; {@code end} closes what is behind it. */
  public ShedLocks(LockProvider provider, Runnable end) {
    this.provider = provider;
    this.end = end;
  }

  @Override
  public Hold acquire(String name) {
    return tryAcquire(name).orElseThrow(() -> new IllegalStateException(name + " is refused"));
  }

  @Override
  public Optional<Hold> tryAcquire(String name) {
    return provider
        .lock(new LockConfiguration(Instant.now(), name, LEASE, Duration.ZERO))
        .map(lock -> lock::unlock);
  }

  @Override
  public void close() {
    end.run();
  }
}
