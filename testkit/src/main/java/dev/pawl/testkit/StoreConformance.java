package dev.pawl.testkit;

import dev.pawl.spi.Capability;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The behaviour of every store, as JUnit 5 cases. The author of a store extends this class:
 *
 * <pre>{@code
 * class SqliteConformanceTest extends StoreConformance {
 *   @TempDir Path directory;
 *
 *   @Override
 *   protected LockStore open() {
 *     return SqliteStore.open(directory.resolve("locks.db"));
 *   }
 * }
 * }</pre>
 *
 * <p>JUnit makes a new instance of the class for each case. Within one case, all stores that {@link
 * #open()} returns must see the same locks; the suite uses two of them where it can, and closes
 * them afterwards. Names differ from case to case, so that the backend need not be emptied in
 * between.
 *
 * <p>What a store cannot do it says by {@link LockStore#capabilities()}. A case that needs more is
 * not skipped: it checks that the user is refused.
 *
 * <p>Two layers, each with a JUnit tag: {@code spi}, the commands one by one, and {@code api}, what
 * a user sees through {@code Pawl}.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@ExtendWith(NeedsExtension.class)
public abstract class StoreConformance {

  /** For the author's class. */
  protected StoreConformance() {}

  /**
   * Opens one more instance of the store, as one more process would: everything that is opened
   * within one case sees the same locks.
   */
  protected abstract LockStore open() throws Exception;

  /**
   * Lets the store's time pass. Waits, unless the store's clock can be set: then this method moves
   * it, and the suite is so much faster.
   */
  protected void pass(Duration duration) throws InterruptedException {
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  /**
   * Returns how many rows, keys or nodes the backend has for names that begin with {@code prefix}:
   * better by looking into the backend itself than, as here, through the store. It must fall to
   * zero within ten seconds after the names are no longer used; set the store's retention
   * accordingly.
   */
  protected long leftovers(LockStore store, String prefix) {
    return store.capabilities().contains(Capability.INSPECT)
        ? Replies.of(store.list(Listing.all(prefix, 1_000))).size()
        : 0;
  }

  /** Returns a short lease which the store still tells apart from a shorter one; 500 ms. */
  protected Duration shortLease() {
    return Duration.ofMillis(500);
  }

  /**
   * Returns how much longer than it promised the store may keep a lease that has expired; 50 ms.
   * Longer where it is not the store that ends it but a timer of the process that had it.
   */
  protected Duration expiryDelay() {
    return Duration.ofMillis(50);
  }

  /**
   * Returns how far apart two instances may read the store's clock; nothing. Longer where an
   * instance does not ask for the time each time, but counts on from when it did.
   */
  protected Duration clockTolerance() {
    return Duration.ZERO;
  }

  /**
   * Returns how many tokens one grant can have; a minute's worth where they come from a clock. A
   * store that has less room grants fewer than it is asked for.
   */
  protected int largestSpan() {
    return 60_000_000;
  }

  /**
   * Tells whether sessions of the store say which processes are dead, so that no claim has to show
   * life for others to get past it; false.
   */
  protected boolean hasSessions() {
    return false;
  }

  /** Returns how long the suite waits for a signal or a thread before it takes it for lost; 5 s. */
  protected Duration patience() {
    return Duration.ofSeconds(5);
  }

  @Nested
  class Exclusion extends ExclusionCases {
    Exclusion() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Repetition extends RepetitionCases {
    Repetition() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Strangers extends StrangerCases {
    Strangers() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Queueing extends QueueingCases {
    Queueing() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Leaving extends LeavingCases {
    Leaving() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Signals extends SignalCases {
    Signals() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Expiry extends ExpiryCases {
    Expiry() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class DeadWaiters extends DeadWaiterCases {
    DeadWaiters() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Clocks extends ClockCases {
    Clocks() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Renewal extends RenewalCases {
    Renewal() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Tokens extends TokenCases {
    Tokens() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Marks extends MarkCases {
    Marks() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Sharing extends SharingCases {
    Sharing() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Permits extends PermitCases {
    Permits() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Eviction extends EvictionCases {
    Eviction() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Names extends NameCases {
    Names() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Inspection extends InspectionCases {
    Inspection() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class JournalKeeping extends JournalCases {
    JournalKeeping() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class RegisterKeeping extends RegisterCases {
    RegisterKeeping() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Leftovers extends LeftoverCases {
    Leftovers() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class ShortLived extends ShortLivedCases {
    ShortLived() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Crowds extends CrowdCases {
    Crowds() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Outages extends OutageCases {
    Outages() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Leases extends LeaseCases {
    Leases() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class LeaseTimes extends LeaseTimeCases {
    LeaseTimes() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Async extends AsyncCases {
    Async() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Losses extends LossCases {
    Losses() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Unreliable extends UnreliableCases {
    Unreliable() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class ThreadLocks extends ThreadLockCases {
    ThreadLocks() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class ReadWriteLocks extends ReadWriteCases {
    ReadWriteLocks() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Semaphores extends SemaphoreCases {
    Semaphores() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Groups extends GroupCases {
    Groups() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Jobs extends JobCases {
    Jobs() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Ticks extends TickCases {
    Ticks() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class JobControls extends JobControlCases {
    JobControls() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class RunHistory extends RunHistoryCases {
    RunHistory() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Elections extends ElectionCases {
    Elections() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Contending extends ContentionCases {
    Contending() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Operating extends OperatorCases {
    Operating() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Closing extends ClosingCases {
    Closing() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Deadlocks extends DeadlockCases {
    Deadlocks() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class BadInput extends BadInputCases {
    BadInput() {
      super(StoreConformance.this);
    }
  }

  @Nested
  class Cost extends CostCases {
    Cost() {
      super(StoreConformance.this);
    }
  }
}
