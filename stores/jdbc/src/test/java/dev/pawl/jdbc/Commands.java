package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.OptionalLong;

/** What tests send to a store by hand: exclusive, fair claims of ten seconds that may wait. */
final class Commands {

  private Commands() {}

  static Command.Acquire acquire(String name, ClaimId claim) {
    return acquire(name, claim, 1, "app", "main");
  }

  static Command.Acquire acquire(String name, ClaimId claim, int span, String label, String actor) {
    return acquire(name, claim, span, true, label, actor);
  }

  /** The same with a lease of that length. */
  static Command.Acquire acquire(String name, ClaimId claim, long leaseMicros) {
    Command.Acquire usual = acquire(name, claim);
    return new Command.Acquire(
        name,
        claim,
        usual.permits(),
        usual.capacity(),
        leaseMicros,
        usual.span(),
        usual.mark(),
        usual.queue(),
        usual.fair(),
        usual.label(),
        usual.actor());
  }

  /** The same, and it does not wait. */
  static Command.Acquire tryAcquire(String name, ClaimId claim) {
    return acquire(name, claim, 1, false, "app", "main");
  }

  private static Command.Acquire acquire(
      String name, ClaimId claim, int span, boolean queue, String label, String actor) {
    return new Command.Acquire(
        name,
        claim,
        Command.EVERYTHING,
        Command.EVERYTHING,
        10_000_000,
        span,
        OptionalLong.empty(),
        queue,
        true,
        label,
        actor);
  }

  /** The release of a claim that was granted. */
  static Command.Release release(Command.Acquire command, AcquireReply reply) {
    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
    return new Command.Release(
        command.name(),
        command.claim(),
        ((AcquireReply.Granted) reply).grant().token(),
        OptionalLong.empty(),
        false);
  }
}
