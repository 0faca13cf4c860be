package dev.pawl.cli.demo;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen.Style;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairedStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Tells the nodes what to do, keeps account of what they report, and waits for it. */
final class Director {

  /** How long anything may take before the story goes on without it, and counts what is there. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A JVM for each node takes its time where there are few cores, and those are busy. */
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  /** How often a node may be found inside a transaction before the store is taken for broken. */
  private static final int MOST_STALLS = 5;

  private static final Duration REFRESH = Duration.ofMillis(100);

  private final Pawl pawl;
  private final Outbox outbox;
  private final Cluster cluster;
  private final Board board;
  private final Panel panel;
  private final Map<NodeProcess, Progress> progress = new HashMap<>();
  private final Set<NodeProcess> killed = new HashSet<>();
  private final Set<NodeProcess> stalled = new HashSet<>();
  private final Map<Act, List<Long>> ticks = new EnumMap<>(Act.class);
  private final Map<Long, List<String>> tokens = new HashMap<>();
  private long lastTick;

  Director(Pawl pawl, Outbox outbox, Cluster cluster, Board board, Panel panel) {
    this.pawl = pawl;
    this.outbox = outbox;
    this.cluster = cluster;
    this.board = board;
    this.panel = panel;
    // A demo before this one may have had a clock that is ahead of ours.
    this.lastTick = find().map(LockInfo::mark).orElse(OptionalLong.empty()).orElse(0);
  }

  /** Starts the node of that number. */
  void start(int number) {
    cluster.start(number);
    panel.node(number, Style.YELLOW, "starting");
  }

  /** Waits until every node is ready. */
  void awaitReady() throws InterruptedException {
    if (!await(START_PATIENCE, () -> all().stream().allMatch(node -> of(node).isReady()))) {
      throw new Refusal(
          ExitCode.UNAVAILABLE,
          "the nodes were not ready after " + START_PATIENCE.toSeconds() + " s");
    }
  }

  /** Has every node run the job for a new tick. */
  long remind(Act act, boolean locked) {
    lastTick = Math.max(lastTick + 1, System.currentTimeMillis());
    ticks.computeIfAbsent(act, none -> new ArrayList<>()).add(lastTick);
    progress.values().forEach(Progress::begin);
    cluster.tell(new Order.Remind(act, lastTick, locked));
    all().forEach(node -> panel.node(node.number(), Style.FAINT, "standing by"));
    return lastTick;
  }

  /** Waits until a condition of what the nodes have reported holds; false if it took too long. */
  boolean await(BooleanSupplier condition) throws InterruptedException {
    return await(PATIENCE, condition);
  }

  private boolean await(Duration patience, BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > patience.toNanos()) {
        return false;
      }
      Optional<Cluster.Heard> heard = cluster.hear(REFRESH);
      if (heard.isPresent()) {
        hear(heard.get().node(), heard.get().report());
      }
      refresh();
    }
    return true;
  }

  private void hear(NodeProcess node, Report report) {
    if (killed.contains(node)) {
      return;
    }
    if (report.kind() == Report.Kind.FAILED) {
      String[] failure = report.detail().split(" ", 2);
      throw new Refusal(Integer.parseInt(failure[0]), name(node) + ": " + failure[1]);
    }
    if (report.kind() == Report.Kind.GONE) {
      throw new Refusal(
          ExitCode.SOFTWARE, name(node) + " has ended by itself: " + cluster.lastError(node));
    }
    if (!stalled.contains(node)) {
      panel.hear(node.number(), report);
    }
    if (report.kind() == Report.Kind.BEGAN) {
      tokens.computeIfAbsent(lastTick, none -> new ArrayList<>()).add(report.detail());
    }
    of(node).hear(report);
  }

  /** Returns the tokens under which a tick was run, in their order. */
  List<String> tokens(long tick) {
    return List.copyOf(tokens.getOrDefault(tick, List.of()));
  }

  /** Returns how the pair of stores stands. */
  PairStatus status() {
    return ((PairedStore) pawl.store()).status().toCompletableFuture().join();
  }

  private void refresh() {
    try {
      panel.phones(outbox.sent());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    board.refresh();
  }

  /** Returns what the node has reported. */
  Progress of(NodeProcess node) {
    return progress.computeIfAbsent(node, none -> new Progress());
  }

  /** Returns the nodes that are alive. */
  List<NodeProcess> all() {
    return cluster.nodes().stream().filter(node -> !killed.contains(node)).toList();
  }

  /** Waits until all nodes but those have said how the tick ended for them. */
  void awaitEnd(NodeProcess... others) throws InterruptedException {
    List<NodeProcess> exempt = List.of(others);
    await(
        () ->
            all().stream()
                .filter(node -> !exempt.contains(node))
                .noneMatch(node -> of(node).isBusy()));
  }

  /** Returns the node that runs the job, as the store has it. */
  Optional<NodeProcess> runner() {
    List<String> labels =
        find().stream()
            .flatMap(info -> info.holders().stream())
            .map(LockInfo.Holder::label)
            .toList();
    return all().stream()
        .filter(node -> labels.contains(NodeMain.label(node.number(), node.pid())))
        .findFirst();
  }

  private Optional<LockInfo> find() {
    return pawl.inspector().find(Job.PREFIX + Story.NAME);
  }

  /** Kills a node with SIGKILL. */
  void kill(NodeProcess node) {
    killed.add(node);
    node.kill();
    panel.node(node.number(), Style.RED, "killed");
  }

  /** Has the nodes kill that process if the demo dies. */
  void outlive(long pid) {
    cluster.tell(new Order.Outlive(pid));
  }

  /** Stops a node in the middle of what it does, with SIGSTOP. */
  void stall(NodeProcess node) throws SQLException {
    outlive(node.pid());
    node.stall();
    // Stopped inside a transaction it would keep the whole file locked, as SQLite does. That is
    // another story.
    for (int again = 0; again < MOST_STALLS && !(outbox.isIdle() && isStoreIdle()); again++) {
      node.wake();
      node.stall();
    }
    stalled.add(node);
    panel.node(node.number(), Style.RED, "stopped");
  }

  /** Lets a stopped node go on. */
  void wake(NodeProcess node) {
    stalled.remove(node);
    node.wake();
  }

  private boolean isStoreIdle() {
    try {
      pawl.lock(Story.NAME + "-probe").tryAcquire().ifPresent(Lease::close);
      return true;
    } catch (PawlException e) {
      return false;
    }
  }

  /** Returns the ticks that were due in each act. */
  Map<Act, List<Long>> ticks() {
    return Map.copyOf(ticks);
  }

  static String name(NodeProcess node) {
    return "node " + node.number();
  }
}
