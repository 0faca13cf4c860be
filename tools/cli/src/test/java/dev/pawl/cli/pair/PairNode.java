package dev.pawl.cli.pair;

import dev.pawl.DistributedLock;
import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StaleTokenException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.JdbcFence;
import dev.pawl.jdbc.SqlDatabase;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A process under load on a pair of stores, which prints what it held, and when by the clock that
 * all processes of this machine share. It ends when its input does. Its arguments are its label and
 * the file of the fenced resource; the URL is the first line of its input. At the line {@link
 * #STOP} it stops itself in its tracks, whatever it holds, but for the file that the others need.
 */
final class PairNode {

  static final String LOCK = "load";
  static final String ELECTION = "line";
  static final String JOB = "tick";
  static final String STOP = "stop";

  private static final int MOST_ATTEMPTS = 50;

  private static final JdbcFence FENCE = JdbcFence.of(SqlDatabase.SQLITE, "load_fence");

  private final Pawl pawl;
  private final String file;
  private final ReentrantLock output = new ReentrantLock();

  /** Shared by those who write to the resource. */
  private final ReentrantReadWriteLock writing = new ReentrantReadWriteLock();

  private volatile boolean ending;

  private PairNode(Pawl pawl, String file) {
    this.pawl = pawl;
    this.file = file;
  }

  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = in.readLine();
    try (Pawl pawl = open(url, args[0])) {
      PairNode node = new PairNode(pawl, args[1]);
      List<Thread> threads = new ArrayList<>();
      threads.add(node.start("patient", node::waitPatiently));
      threads.add(node.start("hurried", node::waitForAMoment));
      if (((LockStore) pawl.store()).capabilities().contains(Capability.MARKS)) {
        threads.add(node.start("ticking", node::tick));
      }
      node.print("READY");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals(STOP)) {
          node.stop();
        }
      }
      node.ending = true;
      for (Thread thread : threads) {
        thread.join(TimeUnit.SECONDS.toMillis(60));
        if (thread.isAlive()) {
          node.print("STUCK " + thread.getName());
        }
      }
    }
    System.out.println("CLOSED");
    Runtime.getRuntime().halt(0);
  }

  /** As a supervisor does: where eight start at once on a busy machine, one may be refused. */
  private static Pawl open(String url, String label) {
    for (int attempt = 1; ; attempt++) {
      try {
        return Pawl.builder(url).label(label).build();
      } catch (StoreUnavailableException e) {
        if (attempt == MOST_ATTEMPTS) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
      }
    }
  }

  /** Returns when somebody has sent it the signal to go on. */
  private void stop() throws IOException, InterruptedException {
    writing.writeLock().lock();
    try {
      String pid = Long.toString(ProcessHandle.current().pid());
      new ProcessBuilder("kill", "-STOP", pid).start().waitFor();
    } finally {
      writing.writeLock().unlock();
    }
    print("WOKE");
  }

  private interface Work {
    void doOnce(Connection resource) throws Exception;
  }

  private Thread start(String name, Work work) {
    Thread thread = new Thread(() -> repeat(name, work), name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void repeat(String name, Work work) {
    try (Connection resource =
        DriverManager.getConnection(
            "jdbc:sqlite:" + file + "?busy_timeout=20000&journal_mode=WAL&synchronous=OFF")) {
      writing.readLock().lock();
      try (Statement statement = resource.createStatement()) {
        statement.execute(FENCE.sql());
      } finally {
        writing.readLock().unlock();
      }
      while (!ending) {
        try {
          doOnce(work, resource);
        } catch (StoreUnavailableException
            | OutcomeUnknownException
            | LeaseLostException
            | StaleTokenException e) {
          print("MISSED " + name + " " + e.getClass().getSimpleName() + " " + e.getMessage());
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
      }
    } catch (Exception e) {
      print("ERROR " + name + " " + e);
    }
  }

  /** What a job could not find out comes wrapped up by the future that was waited for. */
  private static void doOnce(Work work, Connection resource) throws Exception {
    try {
      work.doOnce(resource);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof PawlException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /**
   * In line for as long as it takes: a waiter that nobody wakes shows as a thread that is stuck.
   */
  private void waitPatiently(Connection resource) throws Exception {
    DistributedLock lock = pawl.lock(ELECTION);
    try (Lease lease = lock.acquire()) {
      use(lease, resource);
    }
  }

  private void waitForAMoment(Connection resource) throws Exception {
    Optional<Lease> granted = pawl.lock(LOCK).tryAcquire(Duration.ofSeconds(3));
    if (granted.isPresent()) {
      try (Lease lease = granted.get()) {
        use(lease, resource);
      }
    } else {
      print("BUSY");
    }
  }

  /** Writes to the resource while it holds the lock; says from when until when it believed so. */
  private void use(Lease lease, Connection resource) throws SQLException {
    long from = System.nanoTime();
    long token = lease.token();
    long until = from;
    for (int i = 0; i < 5; i++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(4));
      long now = System.nanoTime();
      if (!lease.isHeld()) {
        break;
      }
      until = now;
    }
    writing.readLock().lock();
    resource.setAutoCommit(false);
    try {
      FENCE.admit(resource, lease.name(), token);
      resource.commit();
    } finally {
      resource.rollback();
      resource.setAutoCommit(true);
      writing.readLock().unlock();
      print("HELD " + lease.name() + " " + token + " " + from + " " + until);
    }
  }

  private void tick(Connection resource) throws Exception {
    Instant tick = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    Job.Outcome<?> outcome =
        pawl.job(JOB)
            .runOrStandBy(
                tick,
                run -> {
                  print("RUN " + tick.toEpochMilli() + " " + run.token() + " " + System.nanoTime());
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                })
            .get(2, TimeUnit.MINUTES);
    if (outcome instanceof Job.Outcome.Ran<?> ran) {
      print("RAN " + tick.toEpochMilli() + " " + ran.token() + " " + System.nanoTime());
    } else if (outcome instanceof Job.Outcome.Failed<?> failed) {
      print("MISSED ticking " + failed.error());
    }
    long next = tick.plusSeconds(1).toEpochMilli() - System.currentTimeMillis();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.max(0, next)));
  }

  private void print(String line) {
    output.lock();
    try {
      System.out.println(line.replace('\n', ' '));
    } finally {
      output.unlock();
    }
  }
}
