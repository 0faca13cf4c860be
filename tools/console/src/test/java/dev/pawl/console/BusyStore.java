package dev.pawl.console;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A store with thousands of names that are held, some of which change all the time. */
final class BusyStore implements AutoCloseable {

  static final int CHANGES_A_SECOND = 200;

  /** As many as a window shows, about: each change is one that is drawn. */
  private static final int CHANGING = 60;

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Pawl pawl;
  private final List<CompletableFuture<Lease>> leases = new ArrayList<>();
  private final AtomicInteger changes = new AtomicInteger();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  BusyStore(String url, int names) {
    pawl =
        Pawl.builder(url)
            .label("app@one")
            .responseTimeout(Duration.ofSeconds(30))
            .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(30)))
            .build();
    for (int i = 0; i < names; i++) {
      leases.add(take(i));
      if (i % 200 == 199) {
        leases.get(i).join(); // Not all at once: a server may be one thread.
      }
    }
    leases.forEach(CompletableFuture::join);
  }

  private CompletableFuture<Lease> take(int i) {
    return pawl.lock("name:%05d".formatted(i)).acquireAsync(PATIENCE);
  }

  /** Has the first names released and taken again, one after the other. */
  @SuppressWarnings("FutureReturnValueIgnored") // It ends with the executor.
  void change() {
    clock.scheduleAtFixedRate(
        () -> {
          int i = changes.get() % CHANGING;
          leases.get(i).join().close();
          leases.set(i, take(i));
          leases.get(i).join();
          changes.incrementAndGet();
        },
        0,
        1_000_000 / CHANGES_A_SECOND,
        TimeUnit.MICROSECONDS);
  }

  /** Returns how many there were. */
  int changes() {
    return changes.get();
  }

  @Override
  public void close() {
    clock.shutdownNow();
    pawl.close();
  }
}
