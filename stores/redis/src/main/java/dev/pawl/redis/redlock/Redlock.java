package dev.pawl.redis.redlock;

import dev.pawl.redis.port.RedisErrors;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The algorithm, by operation: what N independent servers are asked, and what their answers amount
 * to. {@link RedlockVote} is how a claim is granted.
 */
public final class Redlock {

  /** How long to wait, at the most, before asking again after a split vote. */
  private static final long MOST_SPLIT_MILLIS = 25;

  private final String where;
  private final List<? extends RedlockServer> servers;
  private final int rounds;
  private final RedlockVote vote;
  private final RedlockRenewal renewal;
  private final ServerClocks clocks;
  private final ConcurrentMap<ClaimId, CompletableFuture<AcquireReply>> underWay =
      new ConcurrentHashMap<>();

  /**
   * The algorithm over these servers.
   *
   * @param rounds how many times to ask before a vote that is split among several is a refusal
   */
  public Redlock(
      String where, List<? extends RedlockServer> servers, LongSupplier clockMicros, int rounds) {
    this.rounds = rounds;
    this.where = where;
    this.servers = List.copyOf(servers);
    this.clocks = new ServerClocks(clockMicros);
    this.vote = new RedlockVote(where, this.servers, clockMicros, clocks);
    this.renewal = new RedlockRenewal(where, this.servers, clockMicros, clocks);
  }

  /** Looks at the servers' clocks, before anything else is asked. */
  public CompletionStage<Void> readClocks() {
    return clocks.read(servers);
  }

  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return alone(command, () -> ask(longer(command), command, rounds));
  }

  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    Command.Yield longer = new Command.Yield(command.release(), longer(command.next()));
    return alone(command.next(), () -> vote.ask(longer, RedlockServer::yieldGrant, command.next()));
  }

  /**
   * Has one vote on a claim at a time. Of two, one that is refused would take back what the other
   * was given. So a copy of an acquire waits for the vote that is under way.
   */
  private CompletionStage<AcquireReply> alone(
      Command.Acquire claim, Supplier<CompletionStage<AcquireReply>> round) {
    CompletableFuture<AcquireReply> mine = new CompletableFuture<>();
    CompletableFuture<AcquireReply> first = underWay.putIfAbsent(claim.claim(), mine);
    if (first != null) {
      return first.thenCompose(reply -> again(claim, reply));
    }
    var unused =
        round
            .get()
            .whenComplete(
                (reply, error) -> {
                  underWay.remove(claim.claim());
                  if (error == null) {
                    mine.complete(reply);
                  } else {
                    mine.completeExceptionally(RedisErrors.unwrap(error));
                  }
                });
    return mine;
  }

  /** Answers a copy as the vote before it ended, with a reading of the clock of its own (I2). */
  private CompletionStage<AcquireReply> again(Command.Acquire claim, AcquireReply reply) {
    if (reply instanceof AcquireReply.Granted) {
      Command.Renew renew =
          new Command.Renew(
              claim.name(), claim.claim(), claim.permits(), claim.leaseMicros(), claim.actor());
      return renew(List.of(renew))
          .thenApply(
              replies ->
                  replies.get(0) instanceof RenewReply.Held held
                      ? new AcquireReply.Granted(held.grant())
                      : vote.nobody());
    }
    return CompletableFuture.completedFuture(
        reply instanceof AcquireReply.Busy busy ? vote.now(busy) : reply);
  }

  /** Asks, and again after a moment if the votes were split and nobody can have the name. */
  private CompletionStage<AcquireReply> ask(
      Command.Acquire longer, Command.Acquire claim, int left) {
    return vote.ask(longer, RedlockServer::acquire, claim)
        .thenCompose(
            reply ->
                reply instanceof AcquireReply.Busy busy
                        && busy.contention().holders() == 0
                        && left > 1
                    ? CompletableFuture.supplyAsync(() -> 0, soon())
                        .thenCompose(moment -> ask(longer, claim, left - 1))
                    : CompletableFuture.completedFuture(reply));
  }

  /** In the timer's own thread: those of the common pool may all be the application's. */
  private static Executor soon() {
    return CompletableFuture.delayedExecutor(
        ThreadLocalRandom.current().nextLong(MOST_SPLIT_MILLIS) + 1,
        TimeUnit.MILLISECONDS,
        Runnable::run);
  }

  private static Command.Acquire longer(Command.Acquire c) {
    return new Command.Acquire(
        c.name(),
        c.claim(),
        c.permits(),
        c.capacity(),
        c.leaseMicros() + RedlockVote.LONGER_MICROS,
        c.span(),
        c.mark(),
        c.queue(),
        c.fair(),
        c.label(),
        c.actor());
  }

  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return renewal.renew(commands);
  }

  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return count(
        server -> server.release(command),
        reply -> reply == ReleaseReply.RELEASED,
        ReleaseReply.RELEASED,
        ReleaseReply.GONE);
  }

  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return count(
        server -> server.cancel(command),
        reply -> reply == CancelReply.WAS_GRANTED,
        CancelReply.WAS_GRANTED,
        CancelReply.GONE);
  }

  public CompletionStage<EvictReply> evict(Command.Evict command) {
    List<CompletionStage<EvictReply>> asked =
        servers.stream().map(server -> server.evict(command)).toList();
    return Votes.<EvictReply, EvictReply>count(
        asked,
        votes -> {
          if (votes.outstanding() > 0) {
            return null;
          }
          for (EvictReply reply : votes.answers()) {
            if (reply instanceof EvictReply.Evicted && votes.answered() >= votes.quorum()) {
              return reply;
            }
          }
          if (votes.answered() < votes.quorum()) {
            throw votes.tooFew(where, true);
          }
          return new EvictReply.Changed();
        });
  }

  /** A quorum said yes; or a quorum answered, and it did not. */
  private <V> CompletionStage<V> count(
      Function<RedlockServer, CompletionStage<V>> question, Predicate<V> isYes, V yes, V no) {
    List<CompletionStage<V>> asked = servers.stream().map(s -> question.apply(s)).toList();
    return Votes.<V, V>count(
        asked,
        votes -> {
          if (votes.count(isYes) >= votes.quorum()) {
            return yes;
          }
          if (votes.outstanding() > 0) {
            return null;
          }
          if (votes.answered() < votes.quorum()) {
            throw votes.tooFew(where, true);
          }
          // Those who are silent may have had it.
          int silent = servers.size() - votes.answered();
          return votes.count(isYes) > 0 && votes.count(isYes) + silent >= votes.quorum() ? yes : no;
        });
  }
}
