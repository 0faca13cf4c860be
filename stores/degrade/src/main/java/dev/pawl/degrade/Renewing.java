package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Renews claims where they are, hears what the stores tell of them, and moves what is held. */
final class Renewing {

  /** How many claims are sent to the other store at a time. */
  private static final int MOST_UPGRADES = 64;

  private static final long UPGRADE_NANOS = 1_000_000_000L;

  /** One renewal in one of the stores. */
  private record Place(int index, boolean inPrimary, long names, Command.Renew command) {}

  /** What goes in one call. */
  private record Batch(boolean toPrimary, String shard) {}

  /** What was answered, and when it was asked. */
  private record Answer(RenewReply reply, long sentNanos) {}

  private final PairState state;
  private final Granting granting;

  Renewing(PairState state, Granting granting) {
    this.state = state;
    this.granting = granting;
  }

  CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return renew(commands, true);
  }

  private CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands, boolean first) {
    List<Place> places = new ArrayList<>(commands.size());
    long begun = state.now();
    Optional<RuntimeException> refusal =
        state.locked(
            after -> {
              for (int i = 0; i < commands.size(); i++) {
                places(i, commands.get(i), places);
              }
              return Optional.ofNullable(state.refusal(state.now()));
            });
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(refusal.get());
    }
    Map<Batch, List<Place>> batches = new LinkedHashMap<>();
    for (Place place : places) {
      LockStore store = state.side(place.inPrimary()).store();
      String name = StoredNames.of(place.names(), place.command().name());
      String shard = store == null ? "" : store.shard(name);
      batches
          .computeIfAbsent(new Batch(place.inPrimary(), shard), key -> new ArrayList<>())
          .add(place);
    }
    Map<Place, Answer> answers = new HashMap<>();
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (Map.Entry<Batch, List<Place>> batch : batches.entrySet()) {
      calls.add(send(batch.getKey().toPrimary(), batch.getValue(), answers).toCompletableFuture());
    }
    return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
        .thenCompose(
            done -> {
              List<Integer> overtaken = new ArrayList<>();
              List<RenewReply> replies =
                  state.locked(
                      after -> {
                        List<RenewReply> all = new ArrayList<>(commands.size());
                        for (int i = 0; i < commands.size(); i++) {
                          Command.Renew command = commands.get(i);
                          Optional<Answer> main = main(i, command, places, answers);
                          RenewReply reply = reply(command, main, begun, after);
                          if (main.isEmpty() && first && reply instanceof RenewReply.Held) {
                            overtaken.add(i);
                          }
                          all.add(reply);
                        }
                        return all;
                      });
              return overtaken.isEmpty()
                  ? CompletableFuture.completedFuture(replies)
                  : again(commands, overtaken, replies);
            });
  }

  /** The locks have moved while a renewal was under way: the store that has them now is asked. */
  private CompletionStage<List<RenewReply>> again(
      List<Command.Renew> commands, List<Integer> which, List<RenewReply> replies) {
    return renew(which.stream().map(commands::get).toList(), false)
        .thenApply(
            answered -> {
              for (int i = 0; i < answered.size(); i++) {
                replies.set(which.get(i), answered.get(i));
              }
              return replies;
            });
  }

  private void places(int index, Command.Renew command, List<Place> places) {
    ModeRecord seen = state.record();
    if (seen == null) {
      return;
    }
    PairClaim claim = state.claim(command.claim());
    if (claim != null && claim.state == State.HELD) {
      claim.permits = Math.min(claim.permits, command.permits());
    }
    for (boolean inPrimary : new boolean[] {true, false}) {
      long names = PairState.names(seen, inPrimary);
      boolean counts = inPrimary == PairState.isPrimary(seen);
      boolean isThere =
          claim == null
              ? counts
              : claim.part(inPrimary).names == names
                  && (counts || claim.state != State.HELD || claim.part(inPrimary).held);
      boolean isTold = claim != null && (claim.state == State.LOST || claim.state == State.ENDING);
      // What was granted in the backup and not yet in the primary is renewed where it is held.
      boolean halfInPrimary =
          claim != null && inPrimary && claim.state == State.WAITING && claim.backup.held;
      if (names != 0 && isThere && !isTold && !halfInPrimary) {
        places.add(new Place(index, inPrimary, names, command));
      }
    }
  }

  private CompletionStage<?> send(
      boolean toPrimary, List<Place> places, Map<Place, Answer> answers) {
    List<Command.Renew> stored =
        places.stream().map(place -> Commands.renew(place.command(), place.names())).toList();
    long sent = state.now();
    CompletionStage<List<RenewReply>> call =
        state.side(toPrimary).now(store -> store.renew(stored));
    CompletionStage<List<RenewReply>> noted =
        call.thenApply(
            replies ->
                state.locked(
                    after -> {
                      for (int i = 0; i < replies.size(); i++) {
                        answers.put(places.get(i), new Answer(replies.get(i), sent));
                      }
                      return replies;
                    }));
    // While the locks return, the backup's answer counts, with or without the primary's.
    boolean counts = state.locked(after -> counts(toPrimary));
    return counts ? noted : noted.exceptionally(error -> inDoubt(toPrimary, places));
  }

  private List<RenewReply> inDoubt(boolean inPrimary, List<Place> places) {
    state.run(
        after -> {
          for (Place place : places) {
            PairClaim claim = state.claim(place.command().claim());
            if (claim != null && claim.part(inPrimary).names == place.names()) {
              claim.part(inPrimary).inDoubt = true;
            }
          }
          after.add(state::nudge);
        });
    return List.of();
  }

  private boolean counts(boolean ofPrimary) {
    ModeRecord seen = state.record();
    return seen == null || PairState.isPrimary(seen) == ofPrimary;
  }

  /** Notes what was answered, and returns the answer of the store that has the claim now. */
  private Optional<Answer> main(
      int index, Command.Renew command, List<Place> places, Map<Place, Answer> answers) {
    PairClaim claim = state.claim(command.claim());
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

  private RenewReply reply(
      Command.Renew command, Optional<Answer> answered, long begun, After after) {
    PairClaim claim = state.claim(command.claim());
    ModeRecord seen = state.record();
    @Nullable Answer main = answered.orElse(null);
    if (claim == null) {
      return main == null || seen == null ? new RenewReply.Gone() : ofStranger(main, seen);
    }
    return switch (claim.state) {
      case HELD -> ofHolder(claim, main == null ? begun : main.sentNanos(), after);
      // Not answered is not gone: it is in its queue, and asked for with the next heartbeat.
      case WAITING, ASKING -> main == null ? waiting(begun) : ofWaiter(claim, main, after);
      case LOST, ENDING -> new RenewReply.Gone();
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

  private static void note(Part part, Answer answer) {
    if (!(answer.reply() instanceof RenewReply.Held held)) {
      part.held = false;
    } else if (part.held && part.raw == held.grant().token()) {
      part.extend(held.grant(), answer.sentNanos());
    } else if (part.held) {
      part.held = false; // Somebody else may have had it in between.
    } else {
      part.onGrant(held.grant(), answer.sentNanos());
    }
  }

  /** A claim of a node that uses another instance of the pair. */
  private RenewReply ofStranger(Answer answer, ModeRecord seen) {
    long nowMicros = state.clock.micros(answer.sentNanos());
    if (answer.reply() instanceof RenewReply.Held held) {
      Grant grant = held.grant();
      long lasts = grant.untilMicros() - grant.nowMicros();
      long left = (state.warden.standing().untilNanos() - answer.sentNanos()) / 1_000;
      return new RenewReply.Held(
          new Grant(
              grant.claim(),
              grant.token() + seen.tokens().offset(),
              grant.span(),
              nowMicros + lasts,
              nowMicros,
              Math.min(left, grant.trustMicros())));
    }
    return answer.reply() instanceof RenewReply.Waiting waiting
        ? new RenewReply.Waiting(Commands.contention(waiting.contention(), nowMicros))
        : answer.reply();
  }

  private RenewReply ofHolder(PairClaim claim, long baseNanos, After after) {
    ModeRecord seen = state.record();
    boolean counts = seen != null && state.warden.standing().believes(claim.footing(), state.now());
    if (counts && state.isLeased(state.now()) && !state.isTakenAway(claim)) {
      return new RenewReply.Held(state.grant(claim, baseNanos));
    }
    claim.state = State.ENDING;
    state.forget(claim);
    state.drop(claim, true, after);
    state.drop(claim, false, after);
    return new RenewReply.Gone();
  }

  private RenewReply ofWaiter(PairClaim claim, Answer answer, After after) {
    long nowMicros = state.clock.micros(answer.sentNanos());
    if (answer.reply() instanceof RenewReply.Waiting waiting) {
      return new RenewReply.Waiting(Commands.contention(waiting.contention(), nowMicros));
    }
    if (answer.reply() instanceof RenewReply.Gone) {
      state.forget(claim);
      return answer.reply();
    }
    // What it takes to count on it is told by a signal, at once if nothing more is needed.
    boolean byPrimary = claim.primary.held;
    granting.onGranted(claim, byPrimary, answer.sentNanos(), granting.bySignal(claim), after);
    return claim.state == State.HELD
        ? new RenewReply.Held(state.grant(claim, answer.sentNanos()))
        : waiting(answer.sentNanos());
  }

  // Signals.

  /** A store tells a node something. */
  void onSignal(boolean ofPrimary, String node, Signal signal) {
    state.run(after -> onSignal(ofPrimary, node, signal, after));
  }

  private void onSignal(boolean ofPrimary, String node, Signal signal, After after) {
    ModeRecord seen = state.record();
    if (seen == null) {
      return;
    }
    long names = PairState.names(seen, ofPrimary);
    if (signal instanceof Signal.Granted granted) {
      PairClaim claim = state.claim(granted.grant().claim());
      if (claim != null && isAt(claim, ofPrimary, names, granted.name())) {
        onGranted(claim, ofPrimary, granted.grant(), after);
      }
    } else if (signal instanceof Signal.Done done) {
      PairClaim claim = state.claim(done.claim());
      if (claim != null && isAt(claim, ofPrimary, names, done.name())) {
        state.forget(claim);
        state.tell(claim, new Signal.Done(claim.name, claim.id, done.mark()), after);
      }
    } else if (signal instanceof Signal.Evicted evicted) {
      PairClaim claim = state.claim(evicted.claim());
      if (claim != null && isAt(claim, ofPrimary, names, evicted.name())) {
        onGone(claim, ofPrimary, new Signal.Evicted(claim.name, claim.id), after);
      }
    } else if (signal instanceof Signal.Lost lost) {
      PairClaim claim = state.claim(lost.claim());
      if (claim != null && isAt(claim, ofPrimary, names, lost.name())) {
        onGone(
            claim,
            ofPrimary,
            new Signal.Lost(claim.name, claim.id, lost.reason(), lost.told()),
            after);
      } else {
        after.add(lost.told());
      }
    } else if (signal instanceof Signal.Changed changed) {
      StoredNames.read(names, changed.name())
          .ifPresent(name -> pass(node, new Signal.Changed(name), after));
    } else {
      pass(node, signal, after);
    }
  }

  private void pass(String node, Signal signal, After after) {
    var listener = state.listeners.get(node);
    if (listener != null) {
      after.add(() -> listener.accept(signal));
    }
  }

  private static boolean isAt(PairClaim claim, boolean ofPrimary, long names, String stored) {
    return names != 0
        && claim.part(ofPrimary).names == names
        && stored.equals(StoredNames.of(names, claim.name));
  }

  private void onGranted(PairClaim claim, boolean ofPrimary, Grant grant, After after) {
    Side side = state.side(ofPrimary);
    boolean waits = claim.state == State.WAITING || claim.state == State.ASKING;
    if (!waits || !side.isClockRead() || claim.part(ofPrimary).held) {
      return; // Its poll, or the answer that is under way, tells it too.
    }
    // I2: not from when the signal came, but from when the store said so.
    long now = state.now();
    long base = side.nanosAt(grant.nowMicros());
    long baseNanos = base - now < 0 ? base : now;
    claim.part(ofPrimary).onGrant(grant, baseNanos);
    granting.onGranted(claim, ofPrimary, baseNanos, granting.bySignal(claim), after);
  }

  private void onGone(PairClaim claim, boolean ofPrimary, Signal signal, After after) {
    ModeRecord seen = state.record();
    claim.part(ofPrimary).held = false;
    boolean counts = seen != null && PairState.isPrimary(seen) == ofPrimary;
    if (!counts && claim.state == State.HELD && !state.isTakenAway(claim)) {
      if (signal instanceof Signal.Lost lost) {
        after.add(lost.told());
      }
      return; // It is taken there again, or is not needed any more.
    }
    state.forget(claim);
    state.drop(claim, !ofPrimary, after);
    state.tell(claim, signal, after);
  }

  // Moving.

  /** Takes in the primary, too, what is held in the backup while the locks return. */
  void moveHeld() {
    state.run(
        after -> {
          ModeRecord seen = state.record();
          if (seen == null || seen.mode() != Mode.RETURNING) {
            return;
          }
          long now = state.now();
          int begun = 0;
          for (PairClaim claim : state.claims()) {
            boolean due = !claim.upgrading || now - claim.upgradeNanos > UPGRADE_NANOS;
            if (claim.state == State.HELD
                && !claim.footing().isReady(seen)
                && due
                && begun < MOST_UPGRADES) {
              begun++;
              upgrade(claim, seen.primaryNames(), now, after);
            }
          }
        });
  }

  private void upgrade(PairClaim claim, long names, long now, After after) {
    Command.Acquire asked = claim.asked;
    if (asked == null) {
      return;
    }
    claim.upgrading = true;
    claim.upgradeNanos = now;
    claim.primary.names = names;
    long lease = Math.max(1_000_000, (claim.backup.untilNanos - now) / 1_000 + 1);
    Command.Acquire command = Commands.upgrade(asked, names, claim.permits, lease);
    after.add(
        () -> {
          var unused =
              state
                  .primary
                  .call(store -> store.acquire(command))
                  .whenComplete((reply, error) -> onUpgraded(claim, names, now, reply));
        });
  }

  private void onUpgraded(PairClaim claim, long names, long sent, @Nullable AcquireReply reply) {
    state.run(
        after -> {
          claim.upgrading = false;
          if (!(reply instanceof AcquireReply.Granted granted)) {
            return;
          }
          ModeRecord seen = state.record();
          boolean current =
              seen != null
                  && PairState.names(seen, true) == names
                  && state.claim(claim.id) == claim
                  && claim.state == State.HELD
                  && claim.primary.names == names;
          if (!current) {
            after.add(() -> state.cancel(true, names, claim.name, claim.id));
          } else {
            state.primary.onClock(sent, granted.grant().nowMicros());
            claim.primary.onGrant(granted.grant(), sent);
            after.add(state::nudge);
          }
        });
  }
}
