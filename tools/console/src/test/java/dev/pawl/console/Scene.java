package dev.pawl.console;

import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.Lease;
import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A store on an ordinary day: some nodes, locks, queues and jobs. */
final class Scene implements AutoCloseable {

  private final Map<String, Pawl> nodes = new TreeMap<>();
  private final List<Lease> leases = new ArrayList<>();
  private final List<CompletableFuture<Lease>> waiting = new ArrayList<>();
  private final String url;

  Scene(String url) {
    this.url = url;
  }

  Pawl node(String label) {
    return nodes.computeIfAbsent(label, each -> Pawl.builder(url).label(each).build());
  }

  Lease hold(String node, String name) throws Exception {
    // On a thread with a name that says something: people see it.
    CompletableFuture<Lease> taken = new CompletableFuture<>();
    Thread worker =
        new Thread(
            () -> {
              try {
                taken.complete(node(node).lock(name).acquire());
              } catch (Exception e) {
                taken.completeExceptionally(e);
              }
            },
            "worker-" + (1 + leases.size() % 4));
    worker.start();
    Lease lease = taken.get();
    leases.add(lease);
    return lease;
  }

  void await(String node, String name) {
    waiting.add(node(node).lock(name).acquireAsync(Duration.ofMinutes(10)));
  }

  /** Writes runs of the last hour into the journal, as the nodes would have done. */
  void runs(String job, int count, Duration period, int failsAt, String... on) throws Exception {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    node(on[0]).job(job).run(now.minus(period), run -> {});
    for (int i = 0; i < count; i++) {
      Instant tick = now.minus(period.multipliedBy(count - i));
      if (i == failsAt - 3) {
        continue; // Nobody ran that one.
      }
      note(job, tick, tick, period, i, on[i % on.length], i == failsAt);
      if (i == failsAt) {
        note(job, tick.plusSeconds(9), tick, period, i, on[(i + 1) % on.length], false);
      }
    }
  }

  private void note(
      String job, Instant start, Instant tick, Duration period, int i, String node, boolean fails) {
    Map<String, String> details = new TreeMap<>();
    details.put("tick", tick.toString());
    details.put("every", period.toString());
    details.put("start", start.toString());
    details.put("duration", Duration.ofSeconds(4 + (i * 7) % 31).toString());
    details.put("outcome", (fails ? PastRun.Ending.RETRIED : PastRun.Ending.RAN).toString());
    if (fails) {
      details.put("error", "java.io.IOException: SMTP server answered 451: try again later");
    }
    long token = start.toEpochMilli() * 1_000;
    ((LockStore) node(node).store())
        .journal()
        .append(JournalEntry.Kind.JOB_RUN, Job.PREFIX + job, token, node, details)
        .toCompletableFuture()
        .join();
  }

  static Scene ordinaryDay(String url) throws Exception {
    Scene scene = new Scene(url);
    String[] hosts = {"billing@web-1:4120", "billing@web-2:3881", "reports@batch-1:977"};
    for (int i = 0; i < 18; i++) {
      scene.hold(hosts[i % 3], "invoice:" + (4200 + 7 * i));
    }
    scene.hold("billing@web-1:4120", "nightly-backup");
    scene.hold("reports@batch-1:977", "report:monthly");
    scene.await("billing@web-2:3881", "report:monthly");
    scene.await("billing@web-1:4120", "report:monthly");
    scene.await("reports@batch-1:977", "nightly-backup");
    scene.runs("sms-reminder", 28, Duration.ofMinutes(2), 19, hosts);
    scene.runs("cleanup", 11, Duration.ofMinutes(5), -9, hosts[0], hosts[2]);
    scene.runs("report", 4, Duration.ofMinutes(15), -9, hosts[2]);
    scene.hold(hosts[1], "job:export");
    scene.await(hosts[2], "job:export");
    Lease stuck = scene.hold("import@batch-2:61", "import:customers");
    scene
        .node("billing@web-1:4120")
        .inspector()
        .forceRelease(
            "import:customers", stuck.token(), "olga@ops", "batch-2 was shut down at noon");
    return scene;
  }

  @Override
  public void close() {
    waiting.forEach(each -> each.cancel(true));
    nodes.values().forEach(Pawl::close);
  }
}
