package dev.pawl.bench.guide;

import dev.pawl.Election;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.util.concurrent.Callable;

public class BothMutexes {

  /** What is used of Curator's locks: {@code (mutex::acquire, mutex::release)}. */
  record Mutex(Step acquire, Step release) {}

  interface Step {
    void run() throws Exception;
  }

  interface Leader {
    void lead(Lease term) throws Exception;
  }

  /** Does the work under both, Curator's outside. */
  static <T> T underBoth(Mutex old, Pawl pawl, String name, Callable<T> work) throws Exception {
    old.acquire().run();
    try (Lease lease = pawl.lock(name).acquire()) {
      T result = work.call();
      lease.ensureHeld(); // Before what cannot be undone.
      return result;
    } finally {
      old.release().run();
    }
  }

  /** The body of {@code takeLeadership}: leads in Pawl's election too, on Curator's thread. */
  static void leadInBoth(Pawl pawl, String election, Leader leader) throws Exception {
    Thread thread = Thread.currentThread();
    try (Lease term = pawl.lock(Election.PREFIX + election).acquire()) {
      term.onLost(thread::interrupt);
      leader.lead(term);
    }
  }

  public static void main(String[] args) throws Exception {
    Mutex old = new Mutex(() -> {}, () -> {}); // Yours: of new InterProcessMutex(client, path).
    try (Pawl pawl = Pawl.connect("memory:")) { // Yours: zk://h1,h2,h3/pawl
      System.out.println(underBoth(old, pawl, "invoice-run", () -> "settled"));
      leadInBoth(pawl, "scheduler", term -> System.out.println("leads with " + term.token()));
    }
  }
}
