package dev.pawl.cli.demo;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pawl demo}: something to watch for half a minute. */
@Command(
    name = "demo",
    description = {
      "Shows what Pawl is for, with real processes, in less than a minute.",
      "",
      "Eight nodes send reminders to customers: without a lock; with Pawl; while the node that"
          + " sends is killed; and while it stalls for longer than its lease. Ends with a table of"
          + " the messages that were to be sent and those that were, and with 1 if they differ.",
      "",
      "With --degrade it is the store that is killed, and comes back without its data: a Redis of"
          + " the demo's own, if redis-server is installed, and otherwise an H2 server. Its backup"
          + " is a SQLite file."
    })
public final class DemoCommand implements Callable<Integer> {

  private static final int FEWEST_NODES = 2;
  private static final int MOST_NODES = 16;

  /**
   * How long a demo that was killed keeps the next one on the same store waiting. Longer than a
   * busy machine takes to start all nodes, during which nobody else gets a core.
   */
  private static final Duration LEASE = Duration.ofSeconds(20);

  /** Short, so that nobody waits long. */
  private static final String PAIR_OPTIONS = " | mode-lease=6s&return-after=2s&dead-after=1s";

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-s", "--store"},
      paramLabel = "URL",
      description =
          "Where the locks are. Default: a SQLite file of the demo's own; PAWL_STORE does not"
              + " count.")
  private @Nullable String url;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "8",
      description = "How many nodes, 2 to 16 (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(names = "--json", description = "Print the table as JSON, and nothing else.")
  private boolean json;

  @Option(
      names = "--unlocked",
      description = "Leave the lock out of the second act as well: the demo has to notice.")
  private boolean unlocked;

  @Option(
      names = "--degrade",
      description = "Kill the store instead of nodes: the locks go to its backup, and return.")
  private boolean degrade;

  @Override
  public Integer call() throws Exception {
    if (nodes < FEWEST_NODES || nodes > MOST_NODES) {
      throw Refusal.usage(
          "--nodes is " + nodes + "; allowed is " + FEWEST_NODES + " to " + MOST_NODES);
    }
    if (url != null && url.startsWith("memory:")) {
      throw Refusal.usage("a store in memory is for one process; the demo has " + nodes);
    }
    if (degrade && (url != null || unlocked)) {
      throw Refusal.usage("--degrade brings its own stores, and has no act without a lock");
    }
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    Verdict verdict = CleanEnd.run(() -> degrade ? playDegrade(screen) : play(screen));
    if (json) {
      screen.print(verdict.json());
    } else {
      screen.print("");
      verdict.print(screen);
      screen.print("");
    }
    if (!verdict.isOk()) {
      screen.complain("the messages that were sent are not those that should have been");
    } else if (!json) {
      screen.print(
          degrade
              ? "One message for each reminder, whatever happened to the store."
              : "Without a lock "
                  + nodes
                  + " messages for each reminder; with Pawl one, whatever happened to the nodes.");
    }
    return verdict.isOk() ? ExitCode.OK : ExitCode.NO;
  }

  @SuppressWarnings("try") // A lease is held, and not asked.
  private Verdict play(Screen screen) throws InterruptedException, SQLException {
    Timing timing = new Timing(Act.of(Act.Tale.NODES));
    Panel panel = new Panel(screen, timing);
    try (Workspace workspace = Workspace.make();
        Outbox outbox = Outbox.open(workspace.outbox())) {
      String store = url == null ? workspace.store() : url;
      try (Pawl pawl = Pawl.builder(store).label(label()).build();
          Lease onlyDemo = pawl.lock(Story.NAME, options()).acquire(LEASE.plusSeconds(1));
          Cluster cluster = new Cluster(store, workspace);
          Board board = board(screen, timing, panel)) {
        Director director = new Director(pawl, outbox, cluster, board, panel);
        new Story(director, outbox, board, timing, nodes, unlocked)
            .play(url == null ? "a SQLite file" : "the given store");
        cluster.finish();
        return Verdict.of(nodes, director.ticks(), outbox.sent(), outbox.refused());
      }
    }
  }

  private Verdict playDegrade(Screen screen) throws InterruptedException, SQLException {
    Timing timing = new Timing(Act.of(Act.Tale.STORES));
    Panel panel = new Panel(screen, timing);
    try (Workspace workspace = Workspace.make();
        PrimaryServer primary = PrimaryServer.start(workspace);
        Outbox outbox = Outbox.open(workspace.outbox())) {
      String pair = primary.url() + " | " + workspace.store() + PAIR_OPTIONS;
      try (Pawl pawl = Pawl.builder(pair + " | vote=no").label(label()).build();
          Cluster cluster = new Cluster(pair, workspace);
          Board board = board(screen, timing, panel)) {
        Director director = new Director(pawl, outbox, cluster, board, panel);
        List<Long> tokens = new DegradeStory(director, outbox, board, timing, primary).play(nodes);
        cluster.finish();
        return Verdict.of(director.ticks(), outbox.sent(), tokens);
      }
    }
  }

  private Board board(Screen screen, Timing timing, Panel panel) {
    if (json) {
      return new Board.Silent();
    }
    return Screen.isDrawable()
        ? new Board.Live(screen, timing, panel::lines)
        : new Board.Plain(screen, timing);
  }

  private static LockOptions options() {
    return LockOptions.DEFAULT.withLease(LEASE);
  }

  private static String label() {
    return Story.NAME + ":" + ProcessHandle.current().pid();
  }
}
