package dev.pawl.hazelcast.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.LocalMapStats;
import com.hazelcast.query.Predicate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes from a member what nobody uses any more: names whose holders died, and what was kept of
 * others for a while. It goes by the member's clock; Hazelcast's own time to live goes by the wall
 * clock, and when that is set, what is held would be gone (I12).
 *
 * <p>It runs while there are entries, every two seconds, and for at most a fiftieth of the time.
 */
final class MemberSweep implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(MemberSweep.class);

  /** Where a member keeps it. */
  private static final String KEY = "dev.pawl.hazelcast.sweep";

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int SHARE_OF_TIME = 50;
  private static final int AT_A_TIME = 1_000;

  private final HazelcastInstance member;
  private final ThreadPoolExecutor thread;

  private final Set<String> prefixes = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean due = new AtomicBoolean();
  private Set<Member> known = Set.of();

  private MemberSweep(HazelcastInstance member) {
    this.member = member;
    this.thread =
        new ThreadPoolExecutor(
            1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), MemberSweep::thread);
    thread.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "pawl-hazelcast-sweep");
    thread.setDaemon(true);
    return thread;
  }

  static MemberSweep of(HazelcastInstance member) {
    Object sweep = member.getUserContext().get(KEY);
    if (sweep == null) {
      sweep = member.getUserContext().computeIfAbsent(KEY, key -> new MemberSweep(member));
    }
    return (MemberSweep) sweep;
  }

  /** Sweeps soon, the maps of this prefix too. */
  void begin(String prefix) {
    if (!prefixes.contains(prefix)) {
      prefixes.add(prefix);
    }
    begin();
  }

  /** Sweeps soon, because there is something that may have to go. */
  void begin() {
    if (!due.get() && due.compareAndSet(false, true)) {
      after(PAUSE_NANOS).execute(this);
    }
  }

  private Executor after(long nanos) {
    return CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, thread);
  }

  @Override
  public void run() {
    long start = System.nanoTime();
    boolean more = true;
    // Whoever writes from here on begins it again.
    due.set(false);
    try {
      more = sweep();
    } catch (RuntimeException e) {
      // Members come and go, and what could not be removed now is removed the next time.
      LOG.debug("not everything was swept", e);
    } catch (Throwable e) {
      // An error too: whatever it is, it must not be the last sweep.
      LOG.warn("not everything was swept, which is tried again later; please report this", e);
    }
    long pause = Math.max(PAUSE_NANOS, SHARE_OF_TIME * (System.nanoTime() - start));
    if (more && member.getLifecycleService().isRunning() && due.compareAndSet(false, true)) {
      after(pause).execute(this);
    }
  }

  /** Tells whether something is left. */
  private boolean sweep() {
    if (!member.getLifecycleService().isRunning()) {
      return false;
    }
    Set<Member> members = Set.copyOf(member.getCluster().getMembers());
    boolean left = false;
    for (String prefix : prefixes) {
      IMap<String, byte[]> locks = member.getMap(MapNames.locks(prefix));
      remove(locks, prefix);
      left |= hasEntries(locks);
      if (!known.equals(members)) {
        // One that is new may have been given entries, and has been asked for nothing yet.
        MemberProbe.ask(member, prefix);
      }
    }
    known = members;
    return left;
  }

  /** A turn without a command removes what can go, and brings the rest to this member's clock. */
  private void remove(IMap<String, byte[]> locks, String prefix) {
    MemberClock clock = MemberClock.of(member);
    Entries entries = new Entries(member, locks);
    List<String> names = new ArrayList<>(locks.localKeySet(new Unused(clock.id(), clock.micros())));
    for (int from = 0; from < names.size(); from += AT_A_TIME) {
      List<String> some = names.subList(from, Math.min(names.size(), from + AT_A_TIME));
      List<CompletableFuture<byte[]>> turns =
          some.stream()
              .map(name -> entries.submit(name, new LockTurn(prefix, name, List.of())))
              .map(CompletionStage::toCompletableFuture)
              .toList();
      turns.forEach(CompletableFuture::join);
    }
  }

  private boolean hasEntries(IMap<String, byte[]> locks) {
    LocalMapStats stats = locks.getLocalMapStats();
    return stats.getOwnedEntryCount() > 0
        || stats.getBackupEntryCount() > 0
        || !member.getConfig().findMapConfig(locks.getName()).isStatisticsEnabled();
  }

  /** Entries that can go, or that go by the clock of a member that had them before. */
  private record Unused(long clock, long nowMicros) implements Predicate<String, byte[]> {
    @Override
    public boolean apply(Map.Entry<String, byte[]> entry) {
      try {
        Stored stored = Stored.decode(entry.getValue());
        return stored.clock() != clock || stored.state().isForgettable(nowMicros);
      } catch (IllegalArgumentException e) {
        return false; // Somebody else's map, as whoever locks there is told.
      }
    }
  }
}
