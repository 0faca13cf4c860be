package dev.pawl.engine.locks;

import dev.pawl.PawlException;
import dev.pawl.engine.claims.Claim;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One call that renews claims of a shard, and shows that others still wait. If it fails, it takes
 * no claim of another call along; and if that is no outage, no claim on another name either.
 */
final class RenewalCall {

  private final List<LocalClaim> claims = new ArrayList<>();
  private final List<Command.Renew> commands = new ArrayList<>();
  private final long madeNanos;
  private volatile long sentNanos;

  RenewalCall(long madeNanos) {
    this.madeNanos = madeNanos;
    this.sentNanos = madeNanos;
  }

  /** When its commands were made: of what came later they say nothing. */
  long madeNanos() {
    return madeNanos;
  }

  /** When it was sent, which may be later if it stood in line: a lease counts from it (I2). */
  long sentNanos() {
    return sentNanos;
  }

  int size() {
    return claims.size();
  }

  boolean isFull() {
    return claims.size() == LockStore.MOST_RENEWALS;
  }

  void add(LocalClaim claim, Command.Renew command) {
    claims.add(claim);
    commands.add(command);
  }

  CompletionStage<List<RenewReply>> send(LockStore store, long now) {
    sentNanos = now;
    claims.forEach(Claim::onRenewalSent);
    return store.renew(commands);
  }

  /**
   * Returns two calls with the claims of this one, those on one name together; none if it is for a
   * single name.
   */
  List<RenewalCall> halves() {
    int middle = commands.size() / 2;
    String name = commands.get(middle).name();
    int first = middle;
    while (first > 0 && commands.get(first - 1).name().equals(name)) {
      first--;
    }
    int last = middle;
    while (last < commands.size() && commands.get(last).name().equals(name)) {
      last++;
    }
    int border = first > 0 ? first : last;
    return border == commands.size()
        ? List.of()
        : List.of(part(0, border), part(border, commands.size()));
  }

  private RenewalCall part(int from, int to) {
    RenewalCall part = new RenewalCall(madeNanos);
    part.claims.addAll(claims.subList(from, to));
    part.commands.addAll(commands.subList(from, to));
    return part;
  }

  void onReplies(@Nullable List<RenewReply> replies, @Nullable Throwable error) {
    for (int i = 0; i < claims.size(); i++) {
      LocalClaim claim = claims.get(i);
      if (replies != null && replies.size() == claims.size()) {
        claim.renewed(this, replies.get(i), null);
      } else {
        claim.renewed(
            this, null, error != null ? error : new PawlException("the store answered " + replies));
      }
    }
  }
}
