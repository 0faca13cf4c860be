package dev.pawl.engine;

import dev.pawl.PawlException;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Does what is due: fires timers and sends the renewals and polls that come of it, in one call for
 * each shard, each on its own (I9).
 */
final class LeaseKeeper {

  private final Engine engine;

  LeaseKeeper(Engine engine) {
    this.engine = engine;
  }

  void onDue(List<Timed> due) {
    Map<String, Shard> shards = new LinkedHashMap<>();
    long now = engine.now();
    for (Timed timed : due) {
      try {
        timed.fire(
            now,
            (claim, command) ->
                shards
                    .computeIfAbsent(engine.store().shard(command.name()), key -> new Shard())
                    .add(claim, command));
      } catch (RuntimeException e) {
        engine.platform().bugs().accept(e);
      }
    }
    shards.values().forEach(this::send);
  }

  private void send(Shard shard) {
    long sentAt = engine.now();
    engine.whenDone(
        engine.renew(shard.commands), (replies, error) -> onReplies(shard, sentAt, replies, error));
  }

  private static void onReplies(
      Shard shard, long sentAt, @Nullable List<RenewReply> replies, @Nullable Throwable error) {
    for (int i = 0; i < shard.claims.size(); i++) {
      Claim claim = shard.claims.get(i);
      if (replies != null && replies.size() == shard.claims.size()) {
        claim.queue.onRenewed(claim, sentAt, replies.get(i), null);
      } else {
        claim.queue.onRenewed(
            claim,
            sentAt,
            null,
            error != null ? error : new PawlException("the store answered " + replies));
      }
    }
  }

  private static final class Shard {
    final List<Claim> claims = new ArrayList<>();
    final List<Command.Renew> commands = new ArrayList<>();

    void add(Claim claim, Command.Renew command) {
      claims.add(claim);
      commands.add(command);
    }
  }
}
