package dev.pawl.zookeeper.claims;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands of a store, on the claims of this process. */
public final class Claims implements Link.Listener {

  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);

  private static final long SWEEP_MILLIS = 500;

  /** How often marks are looked at that are kept for days. */
  private static final long MARKS_MINUTES = 60;

  private static final long FIRST_MARKS_MINUTES = 1;

  /** How soon it is tried again to give up what is left. */
  private static final long LEAVE_MILLIS = 1_000;

  private final Link link;
  private final Paths paths;
  private final ScheduledThreadPoolExecutor timers;
  private final Registry registry;
  private final Parents parents;
  private final Mailbox mailbox;
  private final OldMarks oldMarks;
  private final Acquiring acquiring;
  private final Renewing renewing;
  private final Leaving leaving;
  private final Inspecting inspecting;

  /**
   * Makes the commands over a connection that is yet to be opened.
   *
   * @param simple whether a name has one node, and no line
   */
  public Claims(Link link, Paths paths, long retentionNanos, boolean simple) {
    this.link = link;
    this.paths = paths;
    this.timers = new ScheduledThreadPoolExecutor(1, Claims::thread);
    timers.setRemoveOnCancelPolicy(true);
    this.parents = new Parents(link, paths, retentionNanos);
    this.registry = new Registry(link, paths, parents, new ClaimNodes(link, paths, simple), timers);
    this.mailbox = new Mailbox(registry);
    Line line = new Line(registry);
    Waiting waiting = new Waiting(registry, line);
    SimpleHolder holder = new SimpleHolder(registry, line);
    Runnable makeRoot =
        () -> {
          var unused = makeRoot();
        };
    this.acquiring =
        new Acquiring(
            registry,
            simple
                ? new SimpleStrategy(registry, line, holder, makeRoot)
                : new FairStrategy(registry, line, waiting, holder, makeRoot));
    this.renewing = new Renewing(registry, line, waiting);
    this.leaving = new Leaving(registry, line, acquiring);
    this.inspecting = new Inspecting(registry, line);
    this.oldMarks = new OldMarks(link, paths);
  }

  /** Deletes what nobody uses any more, from now on. */
  public void cleanUp() {
    var unused =
        timers.scheduleWithFixedDelay(
            this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    var unusedToo =
        timers.scheduleWithFixedDelay(
            this::deleteOldMarksLater, FIRST_MARKS_MINUTES, MARKS_MINUTES, TimeUnit.MINUTES);
  }

  private void sweep() {
    try {
      parents.sweep();
    } catch (Throwable e) {
      // An error too: whatever it is, it must not be the last one.
      LOG.warn("{}: names that nobody uses stay for now; please report this", link.where(), e);
    }
  }

  private void deleteOldMarksLater() {
    var unused =
        Answers.begun(this::deleteOldMarks)
            .whenComplete(
                (count, error) -> {
                  if (error != null) {
                    LOG.debug("{}: expired marks stay for now", link.where(), error);
                  }
                });
  }

  /** Deletes the marks that were kept for long enough; answers how many. */
  public CompletableFuture<Integer> deleteOldMarks() {
    return nowMicros().thenCompose(oldMarks::delete);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "pawl-zookeeper-timer");
    thread.setDaemon(true);
    return thread;
  }

  /** Creates what everything is kept below, as far as it is not there. */
  public CompletableFuture<Boolean> makeRoot() {
    Session session = link.session();
    List<CompletableFuture<Node>> made = new ArrayList<>();
    StringBuilder above = new StringBuilder();
    for (String part : paths.root().split("/", -1)) {
      if (!part.isEmpty()) {
        made.add(
            session.create(
                above.append('/').append(part).toString(), new byte[0], CreateMode.PERSISTENT));
      }
    }
    for (String parent : paths.parents()) {
      made.add(session.create(parent, new byte[0], CreateMode.PERSISTENT));
    }
    return Answers.then(
        made.get(made.size() - 1),
        (node, error) ->
            error == null || Errors.is(error, Code.NODEEXISTS)
                ? CompletableFuture.completedFuture(true)
                : Answers.failed(reason(made, error)));
  }

  /** Returns why there is no root: where the one above is missing, why that was not made. */
  private static Throwable reason(List<CompletableFuture<Node>> made, Throwable error) {
    Throwable above = error;
    for (CompletableFuture<Node> each : made) { // They were answered in their order.
      Throwable failure = each.handle((node, why) -> why).getNow(null);
      if (failure != null && Errors.is(failure, Code.NONODE)) {
        return above;
      }
      above = failure == null || Errors.is(failure, Code.NODEEXISTS) ? error : failure;
    }
    return error;
  }

  @Override
  public void onEnded(Session session) {
    registry.onEnded(session);
  }

  @Override
  public void onConnected(Session session) {
    registry.tellMissed();
  }

  /** Delivers the signals for a node. */
  public Runnable subscribe(String node, Consumer<Signal> listener) {
    registry.subscribe(node, listener);
    return () -> registry.unsubscribe(node, listener);
  }

  /** Asks for a name. */
  public CompletableFuture<AcquireReply> acquire(Command.Acquire command) {
    mailbox.open(link.session());
    return acquiring.acquire(command);
  }

  /** Renews claims. */
  public CompletableFuture<List<RenewReply>> renew(List<Command.Renew> commands) {
    return renewing.renew(commands);
  }

  /** Gives up a grant. */
  public CompletableFuture<ReleaseReply> release(Command.Release command) {
    return leaving.release(command);
  }

  /** Gives up a grant and asks again. */
  public CompletableFuture<AcquireReply> yieldGrant(Command.Yield command) {
    return leaving.yieldGrant(command);
  }

  /** Gives up a claim. */
  public CompletableFuture<CancelReply> cancel(Command.Cancel command) {
    return leaving.cancel(command);
  }

  /** Removes a holder. */
  public CompletableFuture<EvictReply> evict(Command.Evict command) {
    return inspecting.evict(command);
  }

  /** Lowers a mark. */
  public CompletableFuture<ResetReply> reset(Command.Reset command) {
    return leaving.reset(command).thenApply(done -> done ? ResetReply.RESET : ResetReply.CHANGED);
  }

  /** Returns what is known of a name. */
  public CompletableFuture<Optional<LockInfo>> find(String name) {
    return inspecting.find(name);
  }

  /** Returns names. */
  public CompletableFuture<List<LockInfo>> list(Listing listing) {
    return inspecting.list(listing);
  }

  /** Reads the clock of the servers. */
  public CompletableFuture<Long> nowMicros() {
    return mailbox.readClock(link.session());
  }

  /**
   * Gives up what is left, where the session goes on without this store; again and again while the
   * servers cannot be reached, for as long as the session lives.
   */
  public CompletableFuture<Void> leaveAll() {
    CompletableFuture<Void> gone = new CompletableFuture<>();
    leaveAll(gone);
    return gone;
  }

  private void leaveAll(CompletableFuture<Void> gone) {
    CompletableFuture<?>[] left =
        registry.all().stream()
            .map(claim -> claim.turn(() -> registry.remove(claim)))
            .toArray(CompletableFuture[]::new);
    var unused =
        CompletableFuture.allOf(left)
            .whenComplete(
                (done, error) -> {
                  if (registry.all().isEmpty()) {
                    gone.complete(null);
                  } else {
                    var unusedToo =
                        timers.schedule(() -> leaveAll(gone), LEAVE_MILLIS, TimeUnit.MILLISECONDS);
                  }
                });
  }

  /** Ends the timers. */
  public void close() {
    timers.shutdownNow();
  }
}
