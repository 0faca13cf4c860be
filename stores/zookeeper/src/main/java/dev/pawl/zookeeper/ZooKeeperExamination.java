package dev.pawl.zookeeper;

import dev.pawl.spi.Finding;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What {@code doctor} says of ZooKeeper. */
final class ZooKeeperExamination {

  private final Link link;
  private final ZooKeeperStrategy strategy;

  ZooKeeperExamination(Link link, ZooKeeperStrategy strategy) {
    this.link = link;
    this.strategy = strategy;
  }

  CompletableFuture<List<Finding>> findings() {
    List<Finding> findings = new ArrayList<>(ofServers(link));
    findings.add(
        switch (strategy) {
          case FAIR -> Finding.fine("strategy fair: everything a lock can do");
          case SIMPLE ->
              Finding.warning(
                  "strategy simple",
                  "no fair queue, no read-write locks, semaphores, jobs or forced release; a release"
                      + " wakes every process that waits, and each asks again every 50 to 400 ms",
                  "choose strategy=fair, unless that is enough");
        });
    return CompletableFuture.completedFuture(findings);
  }

  /** Returns what can be said without a root. */
  static List<Finding> ofServers(Link link) {
    Session session = link.session();
    return List.of(timeout(session.timeoutMillis(), link.wantedMillis()), servers(link));
  }

  private static Finding timeout(int agreed, int wanted) {
    if (wanted > 0 && agreed != wanted) {
      return Finding.warning(
          "the session timeout is " + agreed + " ms; " + wanted + " ms was asked for",
          agreed > wanted
              ? "the locks of a process that died are free that much later"
              : "a pause of the process or of the network that is longer than "
                  + agreed * 2 / 5
                  + " ms costs it its locks",
          "set minSessionTimeout and maxSessionTimeout of the servers, or ask for "
              + agreed
              + "ms (sessionTimeout in the URL)");
    }
    return Finding.fine("the session timeout is " + agreed + " ms, as asked for");
  }

  private static Finding servers(Link link) {
    int named = link.where().split(",").length;
    return named >= 3
        ? Finding.fine(named + " servers are named")
        : Finding.warning(
            named == 1 ? "one server is named" : "two servers are named",
            "when it is down, or not one of a majority, there are no locks",
            "run an ensemble of three or five, and name all of them");
  }
}
