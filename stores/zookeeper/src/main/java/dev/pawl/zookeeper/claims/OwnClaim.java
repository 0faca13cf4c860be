package dev.pawl.zookeeper.claims;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Entry;
import dev.pawl.zookeeper.tree.Place;
import dev.pawl.zookeeper.tree.Tokens;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A claim of a node of this process, and the node in ZooKeeper that stands for it.
 *
 * <p>What is done about it is done in turns, one after the other: each begins when the one before
 * has its answers. So nothing but {@link #untilNanos} and {@link #timer} is seen by two threads at
 * a time, and those are volatile.
 */
final class OwnClaim {

  final ClaimId id;
  final String name;
  Command.Acquire command;

  /** The session in which it was asked for. */
  @Nullable Session session;

  /** Where it stands; null before it was asked for. */
  @Nullable Place place;

  /** Whether a node was asked for, and nobody knows whether it was made. */
  boolean doubtful;

  /** Whether it counts as a user of the name's node. */
  boolean entered;

  boolean held;
  boolean ended;

  /** Whether its node was asked to go before. */
  boolean leaving;

  /** Whether people see in its node when it was granted; not so if that was told by a signal. */
  boolean shown = true;

  String actor;
  int permits;
  long czxid;
  long createdMicros;
  long sinceMicros;

  /** The line when it was last looked at, and the one in it that is watched. */
  List<Place> seen = List.of();

  final Map<String, Integer> lowered = new HashMap<>();
  @Nullable Place awaited;

  /** Whether the whole line is watched. */
  boolean watchesAll;

  /** The number of the watch that counts; those before it are late. */
  int watch;

  /** What tells it that there is something to see. */
  Watches.@Nullable Watch watching;

  /** When it ends unless it is renewed: a holder's lease, a waiter's life. */
  volatile long untilNanos;

  volatile @Nullable ScheduledFuture<?> timer;

  private final AtomicReference<CompletableFuture<?>> last =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  OwnClaim(Command.Acquire command) {
    this.id = command.claim();
    this.name = command.name();
    this.command = command;
    this.actor = command.actor();
    this.permits = command.permits();
  }

  /** Does something when everything before it is done. */
  <T> CompletableFuture<T> turn(Supplier<CompletableFuture<T>> step) {
    CompletableFuture<T> result = new CompletableFuture<>();
    CompletableFuture<?> before = last.getAndSet(result);
    var unused = before.whenComplete((done, error) -> Answers.pass(Answers.begun(step), result));
    return result;
  }

  /** Its node is there. */
  void placed(Session in, Place at, Node node) {
    placed(in, at, node.stat().getCzxid(), node.stat().getCtime());
  }

  void placed(Session in, Place at, long createdBy, long createdMillis) {
    session = in;
    place = at;
    doubtful = false;
    czxid = createdBy;
    createdMicros = createdMillis * 1_000;
    if (!held) {
      sinceMicros = createdMicros;
    }
  }

  /** Has what it waited for tell it no more. */
  void stopWatching() {
    Watches.Watch before = watching;
    if (before != null) {
      before.leave(this);
      watching = null;
    }
  }

  long token() {
    return Tokens.first(czxid);
  }

  int span() {
    return Tokens.span(command.span());
  }

  /** What its node is to say. */
  Entry entry() {
    return new Entry(
        id,
        command.label(),
        actor,
        command.leaseMicros(),
        span(),
        permits,
        sinceMicros == createdMicros ? 0 : sinceMicros);
  }
}
