package dev.pawl.testkit;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.time.Duration;
import java.util.OptionalLong;

/** A claim of a {@link ScriptedNode}; every method that does not set something is one command. */
final class ScriptedClaim {

  static final Duration LONG_LEASE = Duration.ofSeconds(30);

  private final ScriptedNode node;
  private final String name;
  private final ClaimId id;
  private int permits = Command.EVERYTHING;
  private int capacity = Command.EVERYTHING;
  private Duration lease = LONG_LEASE;
  private int span = 1;
  private OptionalLong mark = OptionalLong.empty();
  private boolean fair = true;
  private String actor = "main";
  private long token;

  ScriptedClaim(ScriptedNode node, String name, ClaimId id) {
    this.node = node;
    this.name = name;
    this.id = id;
  }

  ClaimId id() {
    return id;
  }

  String name() {
    return name;
  }

  ScriptedClaim shared() {
    return permits(1, Command.EVERYTHING);
  }

  ScriptedClaim permits(int newPermits, int newCapacity) {
    permits = newPermits;
    capacity = newCapacity;
    return this;
  }

  ScriptedClaim lease(Duration newLease) {
    lease = newLease;
    return this;
  }

  ScriptedClaim span(int newSpan) {
    span = newSpan;
    return this;
  }

  ScriptedClaim mark(long newMark) {
    mark = OptionalLong.of(newMark);
    return this;
  }

  ScriptedClaim unfair() {
    fair = false;
    return this;
  }

  ScriptedClaim actor(String newActor) {
    actor = newActor;
    return this;
  }

  Command.Acquire acquisition(boolean queue) {
    return new Command.Acquire(
        name,
        id,
        permits,
        capacity,
        lease.toNanos() / 1_000,
        span,
        mark,
        queue,
        fair,
        node.label(),
        actor);
  }

  Command.Renew renewal() {
    return new Command.Renew(name, id, permits, lease.toNanos() / 1_000, actor);
  }

  /** Asks, and waits in the queue if need be. */
  AcquireReply ask() {
    return seen(Replies.of(node.store().acquire(acquisition(true))));
  }

  /** Asks for now or never. */
  AcquireReply askOnce() {
    return seen(Replies.of(node.store().acquire(acquisition(false))));
  }

  /** Asks for now or never, and must be granted. */
  Grant take() {
    return Replies.as(AcquireReply.Granted.class, askOnce()).grant();
  }

  /** Asks, and must be queued. */
  Contention enqueue() {
    return Replies.as(AcquireReply.Queued.class, ask()).contention();
  }

  /** Asks for now or never, and must be refused. */
  Contention beRefused() {
    return Replies.as(AcquireReply.Busy.class, askOnce()).contention();
  }

  RenewReply renew() {
    RenewReply reply = node.renew(this).get(0);
    if (reply instanceof RenewReply.Held held) {
      token = held.grant().token();
    }
    return reply;
  }

  /** Renews, and must be told that it holds the name. */
  Grant mustHold() {
    return Replies.as(RenewReply.Held.class, renew()).grant();
  }

  /** Renews, and must be told that it waits. */
  Contention mustWait() {
    return Replies.as(RenewReply.Waiting.class, renew()).contention();
  }

  /** Renews, and must be told that there is no such claim. */
  void mustBeGone() {
    Replies.as(RenewReply.Gone.class, renew());
  }

  /** Whether the store says that it holds the name. */
  boolean holds() {
    return renew() instanceof RenewReply.Held;
  }

  ReleaseReply release() {
    return release(token, OptionalLong.empty(), false);
  }

  /** Releases with all that was reserved used up to this token. */
  ReleaseReply releaseUsed(long usedToken) {
    return release(usedToken, OptionalLong.empty(), false);
  }

  ReleaseReply releaseReaching(long reached) {
    return release(token, OptionalLong.of(reached), false);
  }

  ReleaseReply releaseLate() {
    return release(token, OptionalLong.empty(), true);
  }

  private ReleaseReply release(long usedToken, OptionalLong reached, boolean late) {
    return Replies.of(
        node.store().release(new Command.Release(name, id, usedToken, reached, late)));
  }

  /** Releases this claim and asks with another one, in one command. */
  AcquireReply yieldTo(ScriptedClaim next) {
    Command.Release release = new Command.Release(name, id, token, OptionalLong.empty(), false);
    return next.seen(
        Replies.of(node.store().yieldGrant(new Command.Yield(release, next.acquisition(true)))));
  }

  CancelReply cancel() {
    return Replies.of(node.store().cancel(new Command.Cancel(name, id, false)));
  }

  CancelReply cancelLate() {
    return Replies.of(node.store().cancel(new Command.Cancel(name, id, true)));
  }

  private AcquireReply seen(AcquireReply reply) {
    if (reply instanceof AcquireReply.Granted granted) {
      token = granted.grant().token();
    }
    return reply;
  }

  @Override
  public String toString() {
    return id + " on \"" + name + "\"";
  }
}
