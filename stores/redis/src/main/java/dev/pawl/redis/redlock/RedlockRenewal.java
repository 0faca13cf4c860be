package dev.pawl.redis.redlock;

import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Redlock's renewals: a claim is held while a quorum says so, for as long as a quorum keeps it. */
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
    return Votes.<List<RenewReply>, Decision>count(
            asked,
            votes -> {
              Decision decision = new Decision(new ArrayList<>(commands.size()), new ArrayList<>());
              for (int i = 0; i < commands.size(); i++) {
                int index = i;
                RenewReply reply =
                    renewed(commands.get(i), sent, votes, decision, list -> list.get(index));
                if (reply == null && votes.outstanding() > 0) {
                  return null;
                }
                if (reply == null) {
                  throw votes.tooFew(where, true);
                }
                decision.replies.add(reply);
              }
              return decision;
            })
        .thenApply(
            decision -> {
              decision.lost.forEach(cancel -> servers.forEach(server -> server.cancel(cancel)));
              return decision.replies;
            });
  }

  /**
   * What the votes came to.
   *
   * @param lost claims that a minority still holds, which are given up there: when it is decided,
   *     since nothing is sent while votes are counted
   */
  private record Decision(List<RenewReply> replies, List<Command.Cancel> lost) {}

  private @Nullable RenewReply renewed(
      Command.Renew command,
      long sent,
      Votes<List<RenewReply>> votes,
      Decision decision,
      Function<List<RenewReply>, RenewReply> own) {
    List<Grant> held = new ArrayList<>();
    for (List<RenewReply> answer : votes.answers()) {
      if (own.apply(answer) instanceof RenewReply.Held one) {
        held.add(one.grant());
      }
    }
    if (held.size() >= votes.quorum()) {
      long now = clocks.storeMicros(sent);
      return new RenewReply.Held(
          new Grant(
              command.claim(),
              mostCommonToken(held),
              held.get(0).span(),
              now + RedlockVote.lasts(held, servers.size(), command.leaseMicros()),
              now));
    }
    if (held.size() + votes.outstanding() >= votes.quorum() || votes.answered() < votes.quorum()) {
      return null;
    }
    if (!held.isEmpty()) {
      decision.lost.add(new Command.Cancel(command.name(), command.claim(), false));
    }
    return new RenewReply.Gone();
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
