package dev.pawl.bench.guide;

import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** Takes the lock of the old provider, and then that of the new one; never waits for either. */
record BothProviders(LockProvider old, LockProvider pawl) implements LockProvider {

  @Override
  public Optional<SimpleLock> lock(LockConfiguration configuration) {
    Optional<SimpleLock> first = old.lock(configuration);
    if (first.isEmpty()) {
      return Optional.empty();
    }
    Optional<SimpleLock> second = Optional.empty();
    try {
      second = pawl.lock(configuration);
    } finally {
      if (second.isEmpty()) {
        first.get().unlock();
      }
    }
    return second.map(held -> () -> unlock(held, first.get()));
  }

  private static void unlock(SimpleLock second, SimpleLock first) {
    try {
      second.unlock();
    } finally {
      first.unlock();
    }
  }
}
