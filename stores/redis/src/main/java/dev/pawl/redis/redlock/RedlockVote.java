package dev.pawl.redis.redlock;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One vote of all servers on a claim.
 *
 * <h2>A grant</h2>
 *
 * The same claim goes to all servers at once. It is granted when a quorum has granted it, for what
 * is left of the lease counted from before it was sent; the node takes the drift of clocks off. If
 * a quorum cannot come together any more, the votes that were given are taken back before the
 * answer is told: busy if a quorum has answered, an exception otherwise (I11). Time in the answers
 * is this node's own steady clock: the servers' clocks are five, and only differences are looked
 * at.
 *
 * <h2>Tokens</h2>
 *
 * Each server counts by itself, and gives one more than its last token, or its clock, or what the
 * node asks for ({@link ServerClocks}), whichever is highest. Asked for a little more than any of
 * the clocks shows, all servers give the same token, and one round trip is enough. Where they do
 * not, the highest is written to a quorum, each server checking that the claim still holds, before
 * the grant counts. A later grant has at least one server in common with this quorum, and so a
 * higher token (I3), unless a majority has forgotten it; then the clocks stand in.
 */
final class RedlockVote {

  /** How much longer a server keeps a claim than the node counts on: what the way there takes. */
  static final long LONGER_MICROS = 5_000;

  private final String where;
  private final List<? extends RedlockServer> servers;
  private final LongSupplier clockMicros;
  private final ServerClocks clocks;

  RedlockVote(
      String where,
      List<? extends RedlockServer> servers,
      LongSupplier clockMicros,
      ServerClocks clocks) {
    this.where = where;
    this.servers = servers;
    this.clockMicros = clockMicros;
    this.clocks = clocks;
  }

  /** Sends it to all at once, and makes one answer of theirs. */
  <C> CompletionStage<AcquireReply> ask(C command, Question<C> question, Command.Acquire claim) {
    long sent = clockMicros.getAsLong();
    long least = clocks.tokenFloor();
    List<CompletionStage<AcquireReply>> asked = new ArrayList<>(servers.size());
    for (RedlockServer server : servers) {
      asked.add(clocks.watch(server, question.ask(server, command, least)));
    }
    return Votes.<AcquireReply, Decision>count(asked, this::decide)
        .handle((decision, error) -> conclude(claim, sent, asked, decision, error))
        .thenCompose(Function.identity());
  }

  private @Nullable Decision decide(Votes<AcquireReply> votes) {
    if (votes.count(RedlockVote::isGranted) >= votes.quorum()) {
      return new Decision(
          votes.answers().stream()
              .filter(RedlockVote::isGranted)
              .map(vote -> ((AcquireReply.Granted) vote).grant())
              .toList(),
          null);
    }
    if (votes.isPossible(RedlockVote::isGranted)) {
      return null;
    }
    if (votes.answered() >= votes.quorum()) {
      return new Decision(List.of(), refusal(votes.answers()));
    }
    if (votes.outstanding() > 0) {
      return null;
    }
    throw votes.tooFew(where, true);
  }

  private static boolean isGranted(AcquireReply vote) {
    return vote instanceof AcquireReply.Granted;
  }

  /** Says who has the name; nobody, if the votes are split and no holder has a quorum of them. */
  private AcquireReply refusal(List<AcquireReply> votes) {
    long now = clocks.storeMicros(clockMicros.getAsLong());
    Map<String, Integer> votesOf = new HashMap<>();
    for (AcquireReply vote : votes) {
      if (vote instanceof AcquireReply.Ended) {
        return vote;
      }
      if (vote instanceof AcquireReply.Busy busy) {
        Contention c = busy.contention();
        // A majority of those who answered: the others may be down.
        if (votesOf.merge(c.holder(), 1, Integer::sum) > votes.size() / 2) {
          // The server's times, on our clock.
          return new AcquireReply.Busy(
              new Contention(
                  c.holder(),
                  now - (c.nowMicros() - c.sinceMicros()),
                  now + (c.untilMicros() - c.nowMicros()),
                  c.holders(),
                  c.ahead(),
                  now));
        }
      }
    }
    return nobody();
  }

  /** Returns a refusal that names nobody. */
  AcquireReply.Busy nobody() {
    long now = clocks.storeMicros(clockMicros.getAsLong());
    return new AcquireReply.Busy(new Contention("", now, now, 0, 0, now));
  }

  /** Returns a refusal of a moment ago as one of now. */
  AcquireReply.Busy now(AcquireReply.Busy busy) {
    Contention c = busy.contention();
    long now = clocks.storeMicros(clockMicros.getAsLong());
    return new AcquireReply.Busy(
        new Contention(c.holder(), c.sinceMicros(), c.untilMicros(), c.holders(), c.ahead(), now));
  }

  /** Takes the votes back, or makes one grant of them. */
  private CompletionStage<AcquireReply> conclude(
      Command.Acquire claim,
      long sent,
      List<CompletionStage<AcquireReply>> asked,
      @Nullable Decision decision,
      @Nullable Throwable error) {
    if (decision == null) {
      takeBack(claim);
      return CompletableFuture.failedFuture(
          error == null ? new IllegalStateException("no decision") : error);
    }
    if (decision.refusal != null) {
      takeBackVotes(claim, asked);
      return CompletableFuture.completedFuture(decision.refusal);
    }
    long token = decision.grants.stream().mapToLong(Grant::token).max().orElseThrow();
    boolean agreed = decision.grants.stream().allMatch(grant -> grant.token() == token);
    CompletionStage<Boolean> written = agreed ? agreed(claim, asked, token) : write(claim, token);
    return written.handle(
        (done, failure) -> {
          if (failure == null && done) {
            return granted(claim, sent, token, decision.grants);
          }
          takeBack(claim);
          throw new OutcomeUnknownException(
              where + ": the servers disagree on the token, and no quorum took the highest",
              failure);
        });
  }

  private AcquireReply granted(Command.Acquire claim, long sent, long token, List<Grant> grants) {
    long lasts = lasts(grants, servers.size(), claim.leaseMicros());
    if (clockMicros.getAsLong() >= sent + lasts - drift(lasts)) {
      takeBack(claim);
      throw new StoreUnavailableException(
          where + ": the servers took as long to grant it as the lease lasts", null);
    }
    long now = clocks.storeMicros(sent);
    return new AcquireReply.Granted(
        new Grant(claim.claim(), token, claim.span(), now + lasts, now));
  }

  /**
   * Returns how long a quorum of so many servers keeps these grants at least: the lease that was
   * asked for, or what is left of a longer one from before.
   */
  static long lasts(List<Grant> grants, int servers, long leaseMicros) {
    long left =
        grants.stream()
            .map(grant -> grant.untilMicros() - grant.nowMicros())
            .sorted(Comparator.reverseOrder())
            .toList()
            .get(servers / 2);
    return left > leaseMicros + LONGER_MICROS ? left : left - LONGER_MICROS;
  }

  /** What clocks may come apart in that time; a node leaves as much out of every lease (I2). */
  private static long drift(long micros) {
    return micros / 100 + 2_000;
  }

  /** Writes the token to all, and counts whether a quorum still holds and has it. */
  private CompletionStage<Boolean> write(Command.Acquire claim, long token) {
    List<CompletionStage<Boolean>> asked =
        servers.stream().map(server -> server.setToken(claim, token)).toList();
    return Votes.<Boolean, Boolean>count(
        asked,
        votes -> {
          if (votes.count(has -> has) >= votes.quorum()) {
            return true;
          }
          return votes.isPossible(has -> has) ? null : false;
        });
  }

  /**
   * The quorum agrees. A server beyond it that gave another token gets the one that counts; so does
   * one that is late, and may vote by what its clock shows then: it hears of it behind the vote.
   */
  private CompletionStage<Boolean> agreed(
      Command.Acquire claim, List<CompletionStage<AcquireReply>> asked, long token) {
    for (int i = 0; i < asked.size(); i++) {
      RedlockServer server = servers.get(i);
      var unused =
          asked
              .get(i)
              .whenComplete(
                  (vote, error) -> {
                    boolean differs =
                        vote instanceof AcquireReply.Granted other
                            && other.grant().token() != token;
                    boolean mayVote =
                        error != null
                            && !(RedisErrors.unwrap(error) instanceof StoreUnavailableException);
                    if (differs || mayVote) {
                      server.setToken(claim, token);
                    }
                  });
    }
    return CompletableFuture.completedFuture(true);
  }

  /**
   * Takes the vote back where it may have been given, now, so that no repeated acquire overtakes
   * it. A server that said no has nothing to take back. All remember who would like to be told.
   */
  private void takeBackVotes(Command.Acquire claim, List<CompletionStage<AcquireReply>> asked) {
    for (int i = 0; i < asked.size(); i++) {
      CompletableFuture<AcquireReply> vote = asked.get(i).toCompletableFuture();
      boolean saidNo =
          vote.isDone()
              && !vote.isCompletedExceptionally()
              && vote.join() instanceof AcquireReply.Busy;
      if (!saidNo) {
        servers.get(i).takeBack(claim);
      }
    }
  }

  /** Cancels the claim everywhere, behind whatever is still on its way there. */
  private void takeBack(Command.Acquire claim) {
    Command.Cancel cancel = new Command.Cancel(claim.name(), claim.claim(), false);
    servers.forEach(server -> server.cancel(cancel));
  }

  /** One question to a server, with the least token. */
  interface Question<C> {
    CompletionStage<AcquireReply> ask(RedlockServer server, C command, long floor);
  }

  /** What a round came to: the grants of a quorum, or a refusal. */
  private record Decision(List<Grant> grants, @Nullable AcquireReply refusal) {}
}
