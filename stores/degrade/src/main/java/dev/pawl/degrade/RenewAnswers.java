package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.Renewing.Answer;
import dev.pawl.degrade.Renewing.Place;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the stores' answers to renewals mean for the node. The lock of the pair is held. */
final class RenewAnswers {

  private final PairState state;
  private final Granting granting;
  private final Losing losing;

  RenewAnswers(PairState state, Granting granting, Losing losing) {
    this.state = state;
    this.granting = granting;
    this.losing = losing;
  }

  /** Notes what was answered, and returns the answer of the store that has the claim now. */
  Optional<Answer> main(
      int index, Command.Renew command, List<Place> places, Map<Place, Answer> answers) {
    PairClaim claim = state.claims.find(command.claim());
    ModeRecord seen = state.record();
    @Nullable Answer main = null;
    for (Place place : places) {
      Answer answer = place.index() == index ? answers.get(place) : null;
      if (answer == null || seen == null) {
        continue;
      }
      clock(place.inPrimary(), answer);
      Part part = claim == null ? null : claim.part(place.inPrimary());
      boolean current = PairState.names(seen, place.inPrimary()) == place.names();
      if (part != null && current && part.names == place.names()) {
        note(part, answer);
      }
      boolean isMain =
          (claim != null && claim.state == State.WAITING)
              ? main == null || (part != null && part.held)
              : PairState.isPrimary(seen) == place.inPrimary();
      if (current && isMain) {
        main = answer;
      }
    }
    return Optional.ofNullable(main);
  }

  RenewReply reply(Command.Renew command, Optional<Answer> answered, long begun, After after) {
    PairClaim claim = state.claims.find(command.claim());
    @Nullable Answer main = answered.orElse(null);
    if (claim == null) {
      return new RenewReply.Gone(); // Never confirmed: whether it counts is not known here.
    }
    return switch (claim.state) {
      case HELD -> ofHolder(claim, main == null ? begun : main.sentNanos(), after);
      // Not answered is not gone: it is in its queue, and asked for with the next heartbeat.
      case WAITING, ASKING -> main == null ? waiting(begun) : ofWaiter(claim, main, after);
      // Its node is being told by a signal, and says when it has been: not by this, too.
      case LOST -> new RenewReply.Held(state.belief.grantAsTold(claim, begun));
      case ENDING -> new RenewReply.Gone();
    };
  }

  private RenewReply waiting(long baseNanos) {
    return new RenewReply.Waiting(new Contention("", 0, 0, 0, 0, state.clock.micros(baseNanos)));
  }

  private void clock(boolean ofPrimary, Answer answer) {
    Side side = state.side(ofPrimary);
    if (answer.reply() instanceof RenewReply.Held held) {
      side.onClock(answer.sentNanos(), held.grant().nowMicros());
    } else if (answer.reply() instanceof RenewReply.Waiting waiting) {
      side.onClock(answer.sentNanos(), waiting.contention().nowMicros());
    }
  }

  private void note(Part part, Answer answer) {
    if (!(answer.reply() instanceof RenewReply.Held held)) {
      // A poll that was overtaken by the grant it did not know of says nothing of it.
      part.held &= answer.sentNanos() - part.heldNanos < 0;
    } else if (part.held && part.raw == held.grant().token()) {
      part.extend(held.grant(), answer.sentNanos());
    } else if (part.held) {
      part.held = false; // Somebody else may have had it in between.
    } else {
      part.onGrant(held.grant(), answer.sentNanos(), state.now());
    }
  }

  private RenewReply ofHolder(PairClaim claim, long baseNanos, After after) {
    ModeRecord seen = state.record();
    boolean counts = seen != null && state.warden.standing().believes(claim.footing(), state.now());
    if (counts && state.isLeased(state.now()) && !state.belief.isTakenAway(claim)) {
      return new RenewReply.Held(state.belief.grant(claim, baseNanos));
    }
    if (seen != null && isGone(claim.part(PairState.isPrimary(seen)), seen)) {
      state.giveUp(claim, after);
      return new RenewReply.Gone();
    }
    // I2: the store still has it, and gives it to nobody before the node has been told.
    losing.lose(claim, "the pair no longer upholds it", Signal.Lost.NOBODY_WAITS, after);
    return new RenewReply.Held(state.belief.grantAsTold(claim, baseNanos));
  }

  /** The store that has the locks has said that it does not have this one. */
  private static boolean isGone(Part part, ModeRecord seen) {
    return !part.held && part.names == PairState.names(seen, PairState.isPrimary(seen));
  }

  private RenewReply ofWaiter(PairClaim claim, Answer answer, After after) {
    long nowMicros = state.clock.micros(answer.sentNanos());
    if (answer.reply() instanceof RenewReply.Waiting waiting) {
      return new RenewReply.Waiting(Commands.contention(waiting.contention(), nowMicros));
    }
    if (answer.reply() instanceof RenewReply.Gone) {
      state.claims.forget(claim);
      return answer.reply();
    }
    // What it takes to count on it is told by a signal, at once if nothing more is needed.
    boolean byPrimary = claim.primary.held;
    granting.onGranted(
        claim, byPrimary, answer.sentNanos(), GrantSink.bySignal(state, claim), after);
    return claim.state == State.HELD
        ? new RenewReply.Held(state.belief.grant(claim, answer.sentNanos()))
        : waiting(answer.sentNanos());
  }
}
