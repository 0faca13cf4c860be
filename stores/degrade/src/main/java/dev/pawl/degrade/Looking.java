package dev.pawl.degrade;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ResetReply;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** What people see of the names, and how they step in: in the store that has the locks. */
final class Looking {

  private final PairState state;
  private final Set<Capability> capabilities;

  /** Where the locks are, and how to read what is there. */
  private record View(boolean inPrimary, long names, long offset, long shiftMicros) {}

  Looking(PairState state, Set<Capability> capabilities) {
    this.state = state;
    this.capabilities = capabilities;
  }

  private <T> CompletionStage<T> look(Function<View, CompletionStage<T>> question) {
    Optional<View> view =
        state.locked(
            after -> {
              ModeRecord seen = state.record();
              if (seen == null) {
                return Optional.empty();
              }
              boolean inPrimary = PairState.isPrimary(seen);
              Side side = state.side(inPrimary);
              long now = state.now();
              long shift =
                  side.isClockRead() && state.clock.isRead()
                      ? state.clock.micros(now) - side.microsAt(now)
                      : 0;
              long names = inPrimary ? seen.primaryNames() : seen.backupNames();
              return Optional.of(new View(inPrimary, names, seen.tokens().offset(), shift));
            });
    return view.isPresent()
        ? question.apply(view.get())
        : CompletableFuture.failedFuture(
            new StoreUnavailableException("the record of the pair was not read yet", null));
  }

  CompletionStage<Optional<LockInfo>> find(String name) {
    return look(
        view ->
            state
                .side(view.inPrimary())
                .call(store -> store.find(StoredNames.of(view.names(), name)))
                .thenApply(
                    found ->
                        found.map(
                            info -> Commands.info(info, name, view.offset(), view.shiftMicros())))
                .thenCompose(found -> withMark(name, found)));
  }

  /** A job's mark outlives a switch, also where nobody has run it since. */
  private CompletionStage<Optional<LockInfo>> withMark(String name, Optional<LockInfo> found) {
    boolean known = found.isPresent() && found.get().mark().isPresent();
    if (known || !name.startsWith(Job.PREFIX) || !capabilities.contains(Capability.MARKS)) {
      return CompletableFuture.completedFuture(found);
    }
    return state
        .marks
        .peek(name)
        .thenApply(
            mark ->
                mark.isEmpty()
                    ? found
                    : Optional.of(
                        new LockInfo(
                            name,
                            found.map(LockInfo::token).orElse(0L),
                            mark,
                            found.map(LockInfo::holders).orElse(List.of()),
                            found.map(LockInfo::waiters).orElse(List.of()))));
  }

  CompletionStage<List<LockInfo>> list(Listing listing) {
    return look(
        view -> {
          String prefix = StoredNames.prefix(view.names());
          Listing stored =
              new Listing(prefix + listing.prefix(), listing.onlyInUse(), listing.limit());
          return state
              .side(view.inPrimary())
              .call(store -> store.list(stored))
              .thenApply(
                  found ->
                      found.stream()
                          .map(
                              info ->
                                  Commands.info(
                                      info,
                                      info.name().substring(prefix.length()),
                                      view.offset(),
                                      view.shiftMicros()))
                          .toList());
        });
  }

  CompletionStage<EvictReply> evict(Command.Evict command) {
    return look(
        view ->
            state
                .side(view.inPrimary())
                .call(
                    store ->
                        store.evict(
                            new Command.Evict(
                                StoredNames.of(view.names(), command.name()),
                                command.token() - view.offset()))));
  }

  CompletionStage<ResetReply> reset(Command.Reset command) {
    return state
        .marks
        .reset(command)
        .thenCompose(
            inBackup ->
                inBackup.isPresent() && inBackup.get() == ResetReply.CHANGED
                    ? CompletableFuture.completedFuture(ResetReply.CHANGED)
                    : look(
                        view ->
                            state
                                .side(view.inPrimary())
                                .call(
                                    store ->
                                        store.reset(
                                            new Command.Reset(
                                                StoredNames.of(view.names(), command.name()),
                                                command.mark(),
                                                command.to())))
                                .thenApply(reply -> inBackup.orElse(reply))));
  }
}
