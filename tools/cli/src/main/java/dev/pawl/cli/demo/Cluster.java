package dev.pawl.cli.demo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The nodes, and what they report, in the order in which it was heard. */
final class Cluster implements AutoCloseable {

  /** A report, and whose it is; a node that was started again is another process. */
  record Heard(NodeProcess node, Report report) {}

  private static final int SECONDS_TO_END = 5;

  private final String url;
  private final Workspace workspace;
  private final Map<Integer, NodeProcess> nodes = new ConcurrentSkipListMap<>();
  private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();

  /** Held while a process is started, so that none is started behind the back of the end. */
  private final ReentrantLock life = new ReentrantLock();

  private boolean closed;

  Cluster(String url, Workspace workspace) {
    this.url = url;
    this.workspace = workspace;
  }

  /** Starts the node of that number; one that was there before must be dead. */
  void start(int number) {
    life.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the demo has ended");
      }
      nodes.put(number, NodeProcess.start(number, url, workspace, heard::add));
    } finally {
      life.unlock();
    }
  }

  /** Returns the nodes in the order of their numbers. */
  List<NodeProcess> nodes() {
    return List.copyOf(nodes.values());
  }

  /** Tells all nodes. */
  void tell(Order order) {
    nodes.values().forEach(node -> node.tell(order));
  }

  /** Returns the last thing that a node complained of. */
  String lastError(NodeProcess node) {
    return workspace.lastError(node.number());
  }

  /** Returns the next report, if one comes in time. */
  Optional<Heard> hear(Duration most) throws InterruptedException {
    return Optional.ofNullable(heard.poll(most.toMillis(), TimeUnit.MILLISECONDS));
  }

  /** Has all nodes close what they opened, and waits for it, but not for long. */
  void finish() throws InterruptedException {
    tell(new Order.Quit());
    for (NodeProcess node : nodes.values()) {
      node.hasEnded(SECONDS_TO_END);
    }
  }

  /** Kills whatever lives, and returns when it is dead. */
  @Override
  public void close() {
    life.lock();
    try {
      closed = true;
    } finally {
      life.unlock();
    }
    nodes.values().forEach(NodeProcess::kill);
    try {
      for (NodeProcess node : nodes.values()) {
        node.hasEnded(SECONDS_TO_END);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
