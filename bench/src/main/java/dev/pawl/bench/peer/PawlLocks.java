package dev.pawl.bench.peer;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.bench.contest.Competitor;
import java.util.Optional;

/** Pawl at its defaults, by its public API. */
public final class PawlLocks implements Competitor {

  private final Pawl pawl;

  /** Connects to the store at a URL. */
  public PawlLocks(String url) {
    this.pawl = Pawl.connect(url);
  }

  @Override
  public Hold acquire(String name) throws InterruptedException {
    Lease lease = pawl.lock(name).acquire();
    return lease::close;
  }

  @Override
  public Optional<Hold> tryAcquire(String name) {
    return pawl.lock(name).tryAcquire().map(lease -> lease::close);
  }

  @Override
  public void close() {
    pawl.close();
  }
}
