package dev.pawl.zookeeper.claims;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Paths;
import dev.pawl.zookeeper.tree.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claims of this process: what ends them in time, and who is told of them.
 *
 * <p>ZooKeeper ends what a process has when the process is gone, and nothing sooner. While it lives
 * this is what ends a lease that is not renewed, and the wait of one that has not been heard of. A
 * claim is forgotten when its node is certainly gone, and not before.
 */
final class Registry {

  private static final Logger LOG = LoggerFactory.getLogger(Registry.class);

  /** How soon a node is asked to go again that could not be reached. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  final Link link;
  final Paths paths;
  final Parents parents;
  final ClaimNodes nodes;
  final EndedClaims endedClaims = new EndedClaims();
  private final ConcurrentMap<ClaimId, OwnClaim> claims = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Consumer<Signal>> listeners = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor timers;

  Registry(
      Link link,
      Paths paths,
      Parents parents,
      ClaimNodes nodes,
      ScheduledThreadPoolExecutor timers) {
    this.link = link;
    this.paths = paths;
    this.parents = parents;
    this.nodes = nodes;
    this.timers = timers;
  }

  // Claims.

  @Nullable OwnClaim find(ClaimId id) {
    return claims.get(id);
  }

  OwnClaim findOrMake(Command.Acquire command) {
    return claims.computeIfAbsent(command.claim(), id -> new OwnClaim(command));
  }

  List<OwnClaim> all() {
    return new ArrayList<>(claims.values());
  }

  /** Forgets a claim whose node is certainly not there. */
  void forget(OwnClaim claim, boolean remember) {
    claim.ended = true;
    claims.remove(claim.id, claim);
    ScheduledFuture<?> timer = claim.timer;
    if (timer != null) {
      timer.cancel(false);
    }
    if (claim.entered) {
      claim.entered = false;
      parents.left(claim.name);
    }
    claim.stopWatching();
    claim.place = null;
    claim.doubtful = false;
    if (remember) {
      endedClaims.add(claim.id);
    }
  }

  // Time.

  /** Has a claim end then, unless it is given more time. */
  void endAt(OwnClaim claim, long nanos) {
    claim.untilNanos = nanos;
    ScheduledFuture<?> timer = claim.timer;
    if (timer == null || timer.isDone() || timer.getDelay(TimeUnit.NANOSECONDS) > nanos - now()) {
      if (timer != null) {
        timer.cancel(false);
      }
      schedule(claim, nanos - now());
    }
  }

  private void schedule(OwnClaim claim, long delayNanos) {
    if (!timers.isShutdown()) {
      claim.timer = timers.schedule(() -> onTimer(claim), delayNanos, TimeUnit.NANOSECONDS);
    }
  }

  private void onTimer(OwnClaim claim) {
    long left = claim.untilNanos - now();
    if (left > 0) {
      schedule(claim, left);
      return;
    }
    var unused =
        claim
            .turn(() -> end(claim))
            .whenComplete(
                (done, error) -> {
                  if (error != null && !claim.ended) {
                    LOG.debug("{} could not be ended yet", claim.id, error);
                    schedule(claim, RETRY_NANOS);
                  }
                });
  }

  private CompletableFuture<Boolean> end(OwnClaim claim) {
    if (claim.ended || claim.untilNanos - now() > 0) {
      return CompletableFuture.completedFuture(true);
    }
    return remove(claim).thenApply(done -> true);
  }

  /** Tells whether a claim has expired, though its timer has not seen to it yet. */
  boolean isExpired(OwnClaim claim) {
    return claim.place != null && claim.untilNanos - now() <= 0;
  }

  static long now() {
    return System.nanoTime();
  }

  /**
   * Deletes a claim's node and forgets the claim; answers whether it was there. If the answer fails
   * the claim stays, and this is done again.
   */
  CompletableFuture<Boolean> remove(OwnClaim claim) {
    Session session = claim.session;
    if (session != null && session.isEnded()) {
      forget(claim, false);
      return CompletableFuture.completedFuture(false);
    }
    if (claim.doubtful) {
      return nodes.find(claim, link.sessionToLeave()).thenCompose(found -> removePlaced(claim));
    }
    return removePlaced(claim);
  }

  private CompletableFuture<Boolean> removePlaced(OwnClaim claim) {
    Place place = claim.place;
    if (place == null) {
      forget(claim, false);
      return CompletableFuture.completedFuture(false);
    }
    claim.untilNanos = now(); // From here on it is to go, whatever comes of the answer.
    if (claim.timer == null) {
      schedule(claim, RETRY_NANOS);
    }
    return nodes
        .delete(claim, place)
        .thenApply(
            deleted -> {
              forget(claim, false);
              return deleted;
            });
  }

  String path(String name, Place place) {
    return paths.place(name, place);
  }

  // Signals.

  void subscribe(String node, Consumer<Signal> listener) {
    listeners.put(node, listener);
  }

  void unsubscribe(String node, Consumer<Signal> listener) {
    listeners.remove(node, listener);
  }

  void tell(ClaimId claim, Signal signal) {
    Consumer<Signal> listener = listeners.get(claim.node());
    if (listener != null) {
      listener.accept(signal);
    }
  }

  /** Tells those who wait for a name that it may be free. */
  void tellChanged(String name) {
    listeners.values().forEach(listener -> listener.accept(new Signal.Changed(name)));
  }

  /** Tells everybody who waits to ask. */
  void tellMissed() {
    listeners.values().forEach(listener -> listener.accept(new Signal.Missed()));
  }

  /** A session has ended, and what it had is gone: those who count on it are told. */
  void onEnded(Session session) {
    for (OwnClaim claim : all()) {
      if (claim.session == session) {
        claims.remove(claim.id, claim);
        var unused =
            claim.turn(
                () -> {
                  forget(claim, false);
                  return CompletableFuture.completedFuture(true);
                });
        tell(
            claim.id,
            new Signal.Lost(claim.name, claim.id, "the session at " + link.where() + " has ended"));
      }
    }
  }
}
