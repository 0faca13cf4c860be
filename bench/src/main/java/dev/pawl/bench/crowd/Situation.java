package dev.pawl.bench.crowd;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A crowd: how many processes and nodes there are, and how many callers in all of them. */
enum Situation {
  /** A thousand threads want one of four permits, each for 20 ms. */
  SEMAPHORE_1000("semaphore-1000", "semaphore of 4, 1,000 callers in 2 nodes", 2, 2, 1_000),
  /** Five thousand do. */
  SEMAPHORE_5000("semaphore-5000", "semaphore of 4, 5,000 callers in 2 nodes", 2, 2, 5_000),
  /** Readers who hold and do nothing. */
  READERS("readers", "1,000 read leases on 4 nodes, held", 2, 4, 1_000),
  /** A few nodes that wait for one exclusive name, as the candidates of an election do. */
  NODES_10("nodes-10", "10 nodes waiting for one lock", 2, 10, 10),
  /** Very many. */
  NODES_1000("nodes-1000", "1,000 nodes waiting for one lock", 2, 1_000, 1_000),
  /** Threads of one node on one lock, beside a thousand leases that want to be renewed. */
  THREADS("threads", "10,000 threads of one node on one lock, 1,000 other leases", 1, 1, 10_000);

  final String id;
  final String title;
  final int processes;
  final int nodes;
  final int callers;

  Situation(String id, String title, int processes, int nodes, int callers) {
    this.id = id;
    this.title = title;
    this.processes = processes;
    this.nodes = nodes;
    this.callers = callers;
  }

  boolean isSemaphore() {
    return this == SEMAPHORE_1000 || this == SEMAPHORE_5000;
  }

  boolean isWaitingNodes() {
    return this == NODES_10 || this == NODES_1000;
  }

  static Situation of(String id) {
    return Arrays.stream(values())
        .filter(each -> each.id.equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no situation \""
                        + id
                        + "\"; there are "
                        + Arrays.stream(values())
                            .map(each -> each.id)
                            .collect(Collectors.joining(", "))));
  }
}
