package dev.pawl.degrade;

import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** What is wrong with a simulated pair, so that the simulation shows that it would notice. */
enum Broken {
  NOTHING,

  /** A node counts on its mode lease for five times as long as the others wait for it. */
  MODE_LEASE_TOO_LONG,

  /** A node takes others off the list whose mode lease has not ended. */
  SILENT_NODES_NOT_WAITED_FOR,

  /** A node's monotonic clock goes at half the speed. */
  CLOCK_AT_HALF_SPEED,

  /** The record is written whatever stands there. */
  RECORD_NOT_COMPARED,

  /** No token is kept from one store to the next. */
  TOKENS_START_ANYWHERE,

  /** Marks do not get into the backup. */
  MARKS_NOT_WRITTEN,

  /** A node confirms that it has left the primary before those who hold locks are told. */
  CONFIRMED_BEFORE_TOLD,

  /** While the locks return, what is held is not taken in the primary, and is said to be. */
  PRIMARY_NOT_TAKEN;

  static final Duration MODE_LEASE = Duration.ofSeconds(6);
  private static final String MARKS = "pawl:mark:";

  /** The mode lease that a node goes by, whatever it says. */
  Duration modeLease(boolean first) {
    return first && this == MODE_LEASE_TOO_LONG
        ? MODE_LEASE.multipliedBy(5)
        : first && this == SILENT_NODES_NOT_WAITED_FOR ? MODE_LEASE.dividedBy(10) : MODE_LEASE;
  }

  double rate(boolean first, double rate) {
    return first && this == CLOCK_AT_HALF_SPEED ? rate / 2 : rate;
  }

  /** What is written into a register; empty if nothing is, and it is said to be. */
  Optional<String> written(Register seen, String value) {
    if (this == MARKS_NOT_WRITTEN && seen.key().startsWith(MARKS)) {
      return Optional.empty();
    }
    return Optional.of(
        this == TOKENS_START_ANYWHERE && seen.key().equals(ModeRegister.KEY)
            ? value.replaceFirst("\ntokens .*", "\ntokens 0 0 " + (Long.MAX_VALUE >> 1))
            : value);
  }

  /** What a write relies on. */
  Register seen(LockStore server, Register seen) {
    return this == RECORD_NOT_COMPARED && seen.key().equals(ModeRegister.KEY)
        ? server.registers().read(seen.key()).toCompletableFuture().join()
        : seen;
  }

  static RegisterReply pretended(Register seen, String value) {
    return new RegisterReply.Written(seen.next(Optional.of(value)));
  }

  /** Whether an acquire in the primary is answered without being made. */
  boolean isPretended(Command.Acquire command, boolean returning) {
    return this == PRIMARY_NOT_TAKEN && returning && !command.queue();
  }

  /** The pair as an engine sees it. */
  LockStore seenByEngine(LockStore pair, Consumer<Runnable> later) {
    return this != CONFIRMED_BEFORE_TOLD ? pair : new Hasty(pair, later);
  }

  private static final class Hasty extends ForwardingStore {
    private final Consumer<Runnable> later;

    Hasty(LockStore pair, Consumer<Runnable> later) {
      super(pair);
      this.later = later;
    }

    @Override
    public Subscription subscribe(String node, Consumer<Signal> listener) {
      return super.subscribe(
          node,
          signal -> {
            if (signal instanceof Signal.Lost lost) {
              lost.told().run();
              later.accept(
                  () -> listener.accept(new Signal.Lost(lost.name(), lost.claim(), lost.reason())));
            } else {
              listener.accept(signal);
            }
          });
    }
  }
}
