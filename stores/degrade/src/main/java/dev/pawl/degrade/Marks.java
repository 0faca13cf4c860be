package dev.pawl.degrade;

import dev.pawl.spi.Command;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.ResetReply;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The marks of names in registers of the backup, which outlive every switch. The first claim for a
 * mark in an epoch reads it; after that, the store that has the locks knows it too.
 */
final class Marks {

  private static final String PREFIX = "pawl:mark:";

  /** More jobs than a node runs; what is forgotten is read again. */
  static final int MOST_KNOWN = 10_000;

  /**
   * A mark that is reached: its register since, whether it was not reached before, what stood
   * there, and the epoch in which that was.
   */
  record Raised(Register register, boolean isNew, Optional<String> before, long epoch) {}

  /** A register as it was read in an epoch. */
  private record Known(long epoch, Register register) {}

  private final Side backup;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  Marks(Side backup) {
    this.backup = backup;
  }

  private static String key(String name) {
    return StoredNames.fitting(PREFIX, name);
  }

  private static OptionalLong valueOf(Register register) {
    return register.value().isPresent()
        ? OptionalLong.of(Long.parseLong(register.value().get()))
        : OptionalLong.empty();
  }

  private static boolean isReached(Register register, long mark) {
    OptionalLong value = valueOf(register);
    return value.isPresent() && value.getAsLong() >= mark;
  }

  /** Tells whether the store alone knows if the mark is reached. */
  boolean isRead(String name, long epoch, long mark) {
    Known last = known.get(name);
    return last != null && last.epoch() == epoch && !isReached(last.register(), mark);
  }

  /** Returns of how many names it is known what is reached. */
  int known() {
    return known.size();
  }

  /** Reads what is reached. */
  CompletionStage<OptionalLong> read(String name, long epoch) {
    return backup
        .call(store -> store.registers().read(key(name)))
        .thenApply(
            register -> {
              if (known.size() >= MOST_KNOWN) {
                known.clear();
              }
              known.put(name, new Known(epoch, register));
              return valueOf(register);
            });
  }

  /** Reads what is reached, for people. */
  CompletionStage<OptionalLong> peek(String name) {
    return backup.call(store -> store.registers().read(key(name))).thenApply(Marks::valueOf);
  }

  /** Raises the mark; done when the backup has it. */
  CompletionStage<Raised> raise(String name, long epoch, long mark) {
    Known last = known.get(name);
    if (last != null && !isReached(last.register(), mark)) {
      return raise(name, epoch, mark, last.register());
    }
    // A person may have set back what this node has read.
    return backup
        .call(store -> store.registers().read(key(name)))
        .thenCompose(register -> raise(name, epoch, mark, register));
  }

  private CompletionStage<Raised> raise(String name, long epoch, long mark, Register seen) {
    // One that is reached is written too, so that whoever reached it does not withdraw it now.
    boolean isNew = !isReached(seen, mark);
    Optional<String> value = isNew ? Optional.of(Long.toString(mark)) : seen.value();
    return backup
        .call(store -> store.registers().compareAndSet(seen, value))
        .thenCompose(
            reply -> {
              known.computeIfPresent(name, (same, old) -> new Known(old.epoch(), reply.register()));
              return reply instanceof RegisterReply.Written
                  ? CompletableFuture.completedFuture(
                      new Raised(reply.register(), isNew, seen.value(), epoch))
                  : raise(name, epoch, mark, reply.register());
            });
  }

  /**
   * Takes a mark back whose run turned out to be lost, unless somebody has reached it since. If the
   * backup does not answer, it stays.
   */
  CompletionStage<Boolean> withdraw(String name, Raised raised) {
    if (!raised.isNew()) {
      return CompletableFuture.completedFuture(false);
    }
    return backup
        .call(store -> store.registers().compareAndSet(raised.register(), raised.before()))
        .handle(
            (reply, error) -> {
              known.remove(name);
              return reply instanceof RegisterReply.Written;
            });
  }

  /** Lowers the mark if it is the one that a person saw; says whether there is another. */
  CompletionStage<Optional<ResetReply>> reset(Command.Reset command) {
    return backup
        .call(store -> store.registers().read(key(command.name())))
        .thenCompose(
            seen -> {
              OptionalLong value = valueOf(seen);
              known.remove(command.name());
              if (value.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.<ResetReply>empty());
              }
              if (value.getAsLong() != command.mark()) {
                return CompletableFuture.completedFuture(Optional.of(ResetReply.CHANGED));
              }
              Optional<String> to =
                  command.to().isPresent()
                      ? Optional.of(Long.toString(command.to().getAsLong()))
                      : Optional.empty();
              return backup
                  .call(store -> store.registers().compareAndSet(seen, to))
                  .thenApply(
                      reply ->
                          Optional.of(
                              reply instanceof RegisterReply.Written
                                  ? ResetReply.RESET
                                  : ResetReply.CHANGED));
            });
  }
}
