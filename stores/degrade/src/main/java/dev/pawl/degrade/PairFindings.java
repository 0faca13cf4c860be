package dev.pawl.degrade;

import dev.pawl.spi.Finding;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairStatus.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What a person should know of how a pair stands. */
final class PairFindings {

  /** How many nodes are named. */
  private static final int MOST_NAMED = 5;

  private PairFindings() {}

  /** Returns all that is found: of the pair, if its record can be read, and of both stores. */
  static CompletionStage<List<Finding>> all(
      CompletionStage<PairStatus> status, PairState state, BackupWatch watch) {
    return ofStores(state.primary, state.backup)
        .thenCombine(
            status.thenApply(PairFindings::of).exceptionally(error -> List.of()),
            (ofStores, ofPair) -> {
              List<Finding> all = new ArrayList<>(ofPair);
              state.run(after -> watch.finding(state.now()).ifPresent(all::add));
              all.addAll(ofStores);
              return all;
            });
  }

  static List<Finding> of(PairStatus status) {
    List<Finding> findings = new ArrayList<>();
    findings.add(mode(status));
    if (status.nodes().stream().noneMatch(Node::votes)) {
      findings.add(nobodyVotes(status));
    }
    String unconfirmed = named(status, node -> !node.confirmed());
    if (!unconfirmed.isEmpty()) {
      findings.add(
          Finding.warning(
              "not confirmed yet by " + unconfirmed,
              "A change of the mode is complete when every node has confirmed it. One that is dead"
                  + " is taken off the list after a mode lease of "
                  + status.lease().toSeconds()
                  + " s.",
              "Look at these nodes if they stay in this list."));
    }
    String cutOff = named(status, node -> !node.reaches());
    if (!cutOff.isEmpty() && status.mode() == Mode.PRIMARY) {
      findings.add(
          Finding.warning(
              "the primary is not reached by " + cutOff,
              "They take no locks while most of the others reach it.",
              "Check the network between these nodes and " + status.primary() + "."));
    }
    return findings;
  }

  /** The backup has not answered for that long. */
  static Finding away(Duration time, Duration lease) {
    return Finding.warning(
        "the backup has not answered for " + time.toSeconds() + " s",
        "Without it nothing is locked any more after a mode lease of "
            + lease.toSeconds()
            + " s, although the primary is well.",
        "Get the backup well, or the network to it.");
  }

  /** Returns what the two stores find, each said of which. */
  private static CompletionStage<List<Finding>> ofStores(Side primary, Side backup) {
    return ofStore(primary, "primary")
        .thenCombine(
            ofStore(backup, "backup"),
            (ofPrimary, ofBackup) -> {
              List<Finding> all = new ArrayList<>(ofPrimary);
              all.addAll(ofBackup);
              return all;
            });
  }

  private static CompletionStage<List<Finding>> ofStore(Side side, String what) {
    return side.call(store -> store.examine())
        .thenApply(
            found ->
                found.stream()
                    .map(f -> new Finding(f.level(), what + ": " + f.what(), f.why(), f.remedy()))
                    .toList())
        .exceptionally(
            error ->
                List.of(
                    Finding.warning(
                        what + ": it does not answer",
                        "one of the two stores is enough only for as long as it is well",
                        "look at it")));
  }

  private static Finding mode(PairStatus status) {
    String what = "mode: " + status.mode().name().toLowerCase(Locale.ROOT);
    if (status.mode() == Mode.PRIMARY) {
      return Finding.fine(what + ", " + status.nodes().size() + " nodes");
    }
    return Finding.warning(
        what + ": " + status.reason(),
        "The locks are not in the primary, so the next failure, of the backup, stops locking.",
        status.chosen()
            ? "A person has chosen the backup: pawl mode --switch primary when that is over."
            : "Get the primary well; the locks return by themselves. pawl mode shows how far it"
                + " is.");
  }

  private static Finding nobodyVotes(PairStatus status) {
    return Finding.warning(
        "no node that votes is connected",
        "Commands do not vote. Without a service on this pair nobody notices that the primary is"
            + " dead.",
        status.nodes().isEmpty()
            ? "Start the services, or switch by hand: pawl mode --switch backup."
            : "Connect a service, or switch by hand: pawl mode --switch backup.");
  }

  private static String named(PairStatus status, Predicate<Node> which) {
    List<String> labels = status.nodes().stream().filter(which).map(Node::label).toList();
    return labels.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
        + (labels.size() > MOST_NAMED ? " and " + (labels.size() - MOST_NAMED) + " more" : "");
  }
}
