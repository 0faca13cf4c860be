package dev.pawl.bench.guide;

import static dev.pawl.bench.guide.Workers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Election;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.Pawl;
import dev.pawl.testservers.ZooKeeperServer;
import dev.pawl.zookeeper.ZooKeeperOptions;
import dev.pawl.zookeeper.ZooKeeperStore;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page "From Curator": leaders, lost connections, and the change itself. */
class FromCuratorLeaderTest {

  private static final int SESSION_MILLIS = 3_000;

  private final Workers workers = new Workers();
  private final AtomicInteger leaders = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private ZooKeeperServer server;
  private CuratorFramework curator;
  private CuratorFramework otherCurator;
  private Pawl pawl;
  private Pawl other;

  @BeforeEach
  void start() {
    server = ZooKeeperServer.start();
    curator = FromCuratorTest.curator(server.address(), SESSION_MILLIS);
    otherCurator = FromCuratorTest.curator(server.address(), SESSION_MILLIS);
    pawl = Pawl.builder(ZooKeeperStore.over(curator, ZooKeeperOptions.DEFAULT)).build();
    other = Pawl.builder(ZooKeeperStore.over(otherCurator, ZooKeeperOptions.DEFAULT)).build();
  }

  @AfterEach
  void stop() {
    workers.close();
    pawl.close();
    other.close();
    curator.close();
    otherCurator.close();
    server.close();
  }

  /** The server stalls, and then the session is gone: one was told in time, the other never. */
  @Test
  void whoHoldsOursIsToldBeforeTheSessionEndsAndWhoHoldsTheirsIsNot() throws Exception {
    InterProcessMutex theirs = new InterProcessMutex(curator, "/locks/x");
    theirs.acquire();
    String node = theirs.getParticipantNodes().iterator().next();
    CountDownLatch lost = new CountDownLatch(1);
    Lease ours = pawl.lock("x").acquire();
    ours.onLost(lost::countDown);
    server.pause();
    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(ours.isHeld()).isFalse();
    server.resume();
    until(() -> isGone(node));
    until(() -> isAcquired(new InterProcessMutex(otherCurator, "/locks/x")));
    assertThat(theirs.isOwnedByCurrentThread()).as("it still says so").isTrue();
    theirs.acquire(); // And enters again.
    theirs.release();
    theirs.release();
    assertThatThrownBy(ours::close).isInstanceOf(LeaseLostException.class);
  }

  /** Deletes the node, as the end of its session does. */
  private boolean isGone(String node) throws InterruptedException {
    try {
      otherCurator.delete().quietly().forPath(node);
      return true;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      return false; // It connects again.
    }
  }

  private static boolean isAcquired(InterProcessMutex mutex) throws InterruptedException {
    try {
      return mutex.acquire(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      return false; // It connects again.
    }
  }

  /** Leads for a moment, and finds another who leads. */
  private void lead() throws InterruptedException {
    most.accumulateAndGet(leaders.incrementAndGet(), Math::max);
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } finally {
      leaders.decrementAndGet();
    }
  }

  private static LeaderSelector selector(CuratorFramework client, BothMutexes.Step body) {
    return new LeaderSelector(
        client,
        "/leaders/x",
        new LeaderSelectorListenerAdapter() {
          @Override
          public void takeLeadership(CuratorFramework ignored) throws Exception {
            body.run();
          }
        });
  }

  @Test
  void aTermThatReturnsEndsAndOursStandsAgainAlways() throws Exception {
    AtomicInteger terms = new AtomicInteger();
    CountDownLatch ended = new CountDownLatch(1);
    LeaderSelector once =
        selector(
            curator,
            () -> {
              terms.incrementAndGet();
              ended.countDown();
            });
    once.start();
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    LeaderSelector successor = selector(otherCurator, () -> new CountDownLatch(1).await());
    successor.start();
    until(successor::hasLeadership);
    successor.close();
    assertThat(terms).as("without autoRequeue").hasValue(1);
    once.close();

    AtomicInteger ours = new AtomicInteger();
    try (Election.Campaign campaign = pawl.election("x").lead(term -> ours.incrementAndGet())) {
      until(() -> ours.get() >= 2);
    }
  }

  @Test
  void aLatchSaysWhoLeadsAsACampaignDoes() throws Exception {
    try (LeaderLatch first = new LeaderLatch(curator, "/latch");
        LeaderLatch second = new LeaderLatch(otherCurator, "/latch")) {
      first.start();
      first.await();
      second.start();
      assertThat(first.hasLeadership()).isTrue();
      assertThat(second.hasLeadership()).isFalse();
    }
    try (Election.Campaign first =
        pawl.election("latch").lead(term -> new CountDownLatch(1).await())) {
      until(first::isLeading);
      try (Election.Campaign second =
          other.election("latch").lead(term -> new CountDownLatch(1).await())) {
        assertThat(second.isLeading()).isFalse();
        first.close();
        until(second::isLeading);
      }
    }
  }

  /** Each deployment beside the one before, for some terms of both. */
  @Test
  void duringTheChangeNoTwoLead() throws Exception {
    AtomicInteger old = new AtomicInteger();
    AtomicInteger both = new AtomicInteger();
    AtomicInteger neo = new AtomicInteger();
    LeaderSelector first =
        selector(
            curator,
            () -> {
              lead();
              old.incrementAndGet();
            });
    LeaderSelector second =
        selector(
            otherCurator,
            () ->
                BothMutexes.leadInBoth(
                    other,
                    "x",
                    term -> {
                      lead();
                      both.incrementAndGet();
                    }));
    first.autoRequeue();
    second.autoRequeue();
    first.start();
    second.start();
    until(() -> old.get() >= 3 && both.get() >= 3);
    first.close();
    int before = both.get();
    try (Election.Campaign campaign =
        pawl.election("x")
            .lead(
                term -> {
                  lead();
                  neo.incrementAndGet();
                })) {
      until(() -> neo.get() >= 3 && both.get() >= before + 3);
    }
    second.close();
    assertThat(most).hasValue(1);
  }

  @Test
  void duringTheChangeNoTwoWork() throws Exception {
    Workers.Version old =
        work -> {
          InterProcessMutex mutex = new InterProcessMutex(curator, "/locks/run");
          mutex.acquire();
          work.accept("old");
          mutex.release();
        };
    Workers.Version both =
        work -> {
          InterProcessMutex mutex = new InterProcessMutex(otherCurator, "/locks/run");
          BothMutexes.underBoth(
              new BothMutexes.Mutex(mutex::acquire, mutex::release),
              other,
              "run",
              () -> {
                work.accept("both");
                return null;
              });
        };
    Workers.Version neo =
        work -> {
          try (Lease lease = pawl.lock("run").acquire()) {
            work.accept("new");
          }
        };
    workers.beside(20, old, old, both, both);
    workers.beside(20, both, both, neo, neo);
    Workers.assertShown("from-curator.md", "BothMutexes");
  }
}
