package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.protocol.Member;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Sight;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.degrade.record.ModeRegister.Seen;
import dev.pawl.spi.Listing;
import dev.pawl.spi.PairStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** How the pair stands, for people, and how a person moves the locks. */
final class Stance {

  private static final int MOST_NAMES = 1_000;
  private static final int MOST_UNMOVED = 20;

  private final PairState state;
  private final ModeRegister register;
  private final RecordExchange exchange;
  private final ModeChanges changes;

  Stance(PairState state, ModeRegister register, RecordExchange exchange, ModeChanges changes) {
    this.state = state;
    this.register = register;
    this.exchange = exchange;
    this.changes = changes;
  }

  CompletionStage<PairStatus> status() {
    return exchange.look().thenCompose(seen -> status(seen.record()));
  }

  private CompletionStage<PairStatus> status(ModeRecord record) {
    long leaseNanos = record.stores().leaseMillis() * 1_000_000;
    // Where no node is left, nobody takes the last one off the list that was killed.
    Set<String> dead = state.locked(after -> state.warden.dead(leaseNanos, state.now()));
    return since()
        .thenCombine(
            unmoved(record),
            (since, unmoved) ->
                new PairStatus(
                    PairStatus.Mode.valueOf(record.mode().name()),
                    record.epoch(),
                    since,
                    record.reason(),
                    record.pinned(),
                    Stores.address(record.stores().primary()),
                    Stores.address(record.stores().backup()),
                    Duration.ofMillis(record.stores().leaseMillis()),
                    record.members().stream()
                        .filter(member -> !dead.contains(member.node()))
                        .map(member -> node(record, member))
                        .toList(),
                    unmoved));
  }

  private static PairStatus.Node node(ModeRecord record, Member member) {
    return new PairStatus.Node(
        member.node(),
        member.node(),
        member.votes(),
        record.hasConfirmed(member),
        record.mode() != Mode.RETURNING || (record.hasConfirmed(member) && member.ready()),
        member.sight() == Sight.WELL);
  }

  private CompletionStage<Optional<Instant>> since() {
    return state
        .backup
        .call(store -> store.journal().read(ModeChanges.JOURNAL_NAME, 1))
        .thenApply(entries -> entries.stream().findFirst().map(JournalEntry::at))
        .exceptionally(error -> Optional.empty());
  }

  private CompletionStage<List<String>> unmoved(ModeRecord record) {
    if (record.mode() != Mode.RETURNING) {
      return CompletableFuture.completedFuture(List.of());
    }
    return names(false, record.backupNames())
        .thenCombine(
            names(true, record.primaryNames()),
            (held, moved) ->
                held.stream().filter(name -> !moved.contains(name)).limit(MOST_UNMOVED).toList())
        .exceptionally(error -> List.of());
  }

  private CompletionStage<Set<String>> names(boolean inPrimary, long epoch) {
    String prefix = StoredNames.prefix(epoch);
    return state
        .side(inPrimary)
        .call(store -> store.list(Listing.inUse(prefix, MOST_NAMES)))
        .thenApply(
            found -> {
              Set<String> names = new HashSet<>();
              for (LockInfo info : found) {
                if (!info.holders().isEmpty()) {
                  names.add(info.name().substring(prefix.length()));
                }
              }
              return names;
            });
  }

  CompletionStage<PairStatus> move(PairStatus seen, PairStatus.Mode to, String by, String why) {
    if (to != PairStatus.Mode.BACKUP && to != PairStatus.Mode.PRIMARY) {
      throw new IllegalArgumentException("locks are moved to PRIMARY or BACKUP, not " + to);
    }
    if (by.isBlank() || why.isBlank()) {
      throw new IllegalArgumentException("say who moves the locks, and why");
    }
    Change.Force force =
        new Change.Force(seen.epoch(), to == PairStatus.Mode.BACKUP, by + ": " + why);
    return register
        .read()
        .thenCompose(read -> force(read, force))
        .thenCompose(
            made -> {
              changes.journal(made, by, why);
              exchange.nudge();
              return status(made);
            });
  }

  private CompletionStage<ModeRecord> force(Seen read, Change.Force force) {
    return register
        .change(read, force)
        .thenCompose(
            outcome -> {
              if (outcome instanceof ModeRegister.Made made) {
                return CompletableFuture.completedFuture(made.now().record());
              }
              if (outcome instanceof ModeRegister.Overtaken overtaken) {
                return force(overtaken.now(), force);
              }
              return CompletableFuture.failedFuture(
                  new IllegalStateException(((ModeRegister.Refused) outcome).reason()));
            });
  }
}
