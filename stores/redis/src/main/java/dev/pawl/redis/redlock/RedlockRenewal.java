package dev.pawl.redis.redlock;

import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Redlock's renewals: a claim is held while a quorum says so, for as long as a quorum keeps it, and
 * gone when no quorum can keep it. Between the two nobody knows: some servers have forgotten it,
 * and one that is silent may have it. That is no loss (I11): the node goes on counting on what it
 * has, and asks again.
 */
final class RedlockRenewal {

  private final String where;
  private final List<? extends RedlockServer> servers;
  private final LongSupplier clockMicros;
  private final ServerClocks clocks;

  RedlockRenewal(
      String where,
      List<? extends RedlockServer> servers,
      LongSupplier clockMicros,
      ServerClocks clocks) {
    this.where = where;
    this.servers = servers;
    this.clockMicros = clockMicros;
    this.clocks = clocks;
  }

  CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    long sent = clockMicros.getAsLong();
    List<Command.Renew> longer =
        commands.stream()
            .map(
                c ->
                    new Command.Renew(
                        c.name(),
                        c.claim(),
                        c.permits(),
                        c.leaseMicros() + RedlockVote.LONGER_MICROS,
                        c.actor()))
            .toList();
    List<CompletionStage<List<RenewReply>>> asked =
        servers.stream().map(server -> server.renew(longer)).toList();
    return Votes.<List<RenewReply>, Decision>count(asked, votes -> decide(commands, sent, votes))
        .thenApply(
            decision -> {
              decision.lost.forEach(cancel -> servers.forEach(server -> server.cancel(cancel)));
              return decision.replies;
            });
  }

  /**
   * What the votes came to.
   *
   * @param lost claims that a minority may still hold, which are given up there: when it is
   *     decided, since nothing is sent while votes are counted
   */
  private record Decision(List<RenewReply> replies, List<Command.Cancel> lost) {}

  private @Nullable Decision decide(
      List<Command.Renew> commands, long sent, Votes<List<RenewReply>> votes) {
    Decision decision = new Decision(new ArrayList<>(commands.size()), new ArrayList<>());
    boolean known = commands.isEmpty();
    for (int i = 0; i < commands.size(); i++) {
      Command.Renew command = commands.get(i);
      List<Grant> held = held(votes, i);
      int silent = servers.size() - votes.answered();
      if (held.size() + silent < votes.quorum()) {
        known = true;
        if (!held.isEmpty() || !isComplete(votes)) {
          decision.lost.add(new Command.Cancel(command.name(), command.claim(), false));
        }
        decision.replies.add(new RenewReply.Gone());
      } else if (held.size() >= votes.quorum() && (agree(held, votes) || isComplete(votes))) {
        known = true;
        long lasts = RedlockVote.lasts(held, servers.size(), command.leaseMicros());
        decision.replies.add(held(command, held, sent, lasts));
      } else if (!isComplete(votes)) {
        return null;
      } else if (votes.answered() >= votes.quorum()) {
        decision.replies.add(held(command, held, sent, 0));
      }
    }
    if (!known) {
      throw votes.tooFew(where, true);
    }
    return decision;
  }

  private static boolean isComplete(Votes<?> votes) {
    return votes.outstanding() == 0;
  }

  /** Returns what the servers have of the claim that was asked for in that place. */
  private static List<Grant> held(Votes<List<RenewReply>> votes, int index) {
    List<Grant> held = new ArrayList<>();
    for (List<RenewReply> answer : votes.answers()) {
      if (answer.get(index) instanceof RenewReply.Held one) {
        held.add(one.grant());
      }
    }
    return held;
  }

  /** Says that it is held, for so long; for no time at all, if nobody knows. */
  private RenewReply held(Command.Renew command, List<Grant> held, long sent, long lasts) {
    long now = clocks.storeMicros(sent);
    return new RenewReply.Held(
        new Grant(command.claim(), mostCommonToken(held), held.get(0).span(), now + lasts, now));
  }

  /** One that voted late may have a token of its own: a quorum has the one that counts. */
  private static boolean agree(List<Grant> held, Votes<?> votes) {
    long token = mostCommonToken(held);
    return held.stream().filter(grant -> grant.token() == token).count() >= votes.quorum();
  }

  private static long mostCommonToken(List<Grant> grants) {
    List<Long> tokens = grants.stream().map(Grant::token).toList();
    return tokens.stream()
        .max(
            Comparator.<Long>comparingLong(token -> tokens.stream().filter(token::equals).count())
                .thenComparing(token -> token))
        .orElseThrow();
  }
}
