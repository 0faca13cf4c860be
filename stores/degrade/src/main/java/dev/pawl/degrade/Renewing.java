package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Renews claims in the store, or stores, where they are. */
final class Renewing {

  /** One renewal in one of the stores. */
  record Place(int index, boolean inPrimary, long names, Command.Renew command) {}

  /** What goes in one call. */
  private record Batch(boolean toPrimary, String shard) {}

  /** What was answered, and when it was asked. */
  record Answer(RenewReply reply, long sentNanos) {}

  private final PairState state;
  private final RenewAnswers meaning;

  Renewing(PairState state, RenewAnswers meaning) {
    this.state = state;
    this.meaning = meaning;
  }

  CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return renew(commands, true);
  }

  private CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands, boolean first) {
    List<Place> places = new ArrayList<>(commands.size());
    List<Supplier<CompletableFuture<?>>> unknown = new ArrayList<>(0);
    long begun = state.now();
    Optional<RuntimeException> refusal =
        state.locked(
            after -> {
              for (int i = 0; i < commands.size(); i++) {
                Command.Renew command = commands.get(i);
                if (state.claims.find(command.claim()) == null) {
                  unknown.add(() -> giveUp(command));
                } else {
                  places(i, command, places);
                }
              }
              return Optional.ofNullable(state.refusal(state.now()));
            });
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(refusal.get());
    }
    Map<Batch, List<Place>> batches = new LinkedHashMap<>();
    for (Place place : places) {
      String name = StoredNames.of(place.names(), place.command().name());
      String shard = state.side(place.inPrimary()).shard(name);
      batches
          .computeIfAbsent(new Batch(place.inPrimary(), shard), key -> new ArrayList<>())
          .add(place);
    }
    Map<Place, Answer> answers = new HashMap<>();
    List<CompletableFuture<?>> calls = new ArrayList<>();
    unknown.forEach(call -> calls.add(call.get()));
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
                          Optional<Answer> main = meaning.main(i, command, places, answers);
                          RenewReply reply = meaning.reply(command, main, begun, after);
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

  /**
   * Has what the store may have of a claim given up that this node does not know, or no longer:
   * whether it holds its name by the record cannot be told, and nobody counts on it.
   */
  private CompletableFuture<?> giveUp(Command.Renew command) {
    Optional<Place> place =
        state.locked(
            after -> {
              ModeRecord seen = state.record();
              boolean inPrimary = seen != null && PairState.isPrimary(seen);
              long names = seen == null ? 0 : PairState.names(seen, inPrimary);
              return names == 0
                  ? Optional.empty()
                  : Optional.of(new Place(0, inPrimary, names, command));
            });
    if (place.isEmpty()) {
      return CompletableFuture.completedFuture(true);
    }
    String name = StoredNames.of(place.get().names(), command.name());
    return state
        .side(place.get().inPrimary())
        .call(store -> store.cancel(new Command.Cancel(name, command.claim(), false)))
        .handle((reply, error) -> true)
        .toCompletableFuture();
  }

  private void places(int index, Command.Renew command, List<Place> places) {
    ModeRecord seen = state.record();
    PairClaim claim = state.claims.find(command.claim());
    if (seen == null || claim == null) {
      return;
    }
    if (claim.state == State.HELD) {
      claim.permits = Math.min(claim.permits, command.permits());
    }
    for (boolean inPrimary : new boolean[] {true, false}) {
      long names = PairState.names(seen, inPrimary);
      boolean counts = inPrimary == PairState.isPrimary(seen);
      boolean isThere =
          claim.part(inPrimary).names == names
              && (counts || claim.state != State.HELD || claim.part(inPrimary).held);
      boolean isTold = claim.state == State.LOST || claim.state == State.ENDING;
      // What was granted in the backup and not yet in the primary is renewed where it is held.
      boolean halfInPrimary = inPrimary && claim.state == State.WAITING && claim.backup.held;
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
            PairClaim claim = state.claims.find(place.command().claim());
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
}
