package dev.pawl.degrade.record;

import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.protocol.ModeMachine;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The record of a pair in its register of the backup. A change is one compare-and-set: of all who
 * have seen the same version, one makes his.
 *
 * <p>A change that is not answered may have been made. Whoever made it reads the record again; he
 * must not take from that what only an answer gives, a mode lease above all.
 */
public final class ModeRegister {

  /** Where the record stands. */
  public static final String KEY = "pawl:pair";

  private final Registers registers;
  private final Stores stores;

  /** What was read or written last: most looks find the record as it was. */
  private volatile @Nullable Parsed last;

  private record Parsed(String text, ModeRecord record) {}

  /** Looks at the register of a backup for the pair of these stores. */
  public ModeRegister(Registers registers, Stores stores) {
    this.registers = registers;
    this.stores = stores;
  }

  /**
   * A record that was read, or that a change has left.
   *
   * @param register the version that the next change relies on
   */
  public record Seen(ModeRecord record, Register register) {}

  /** What became of a change. */
  public sealed interface Outcome {}

  /** It was made. */
  public record Made(Seen now) implements Outcome {}

  /** Somebody else has changed the record first: look again. */
  public record Overtaken(Seen now) implements Outcome {}

  /** The record does not allow it; nothing was sent. */
  public record Refused(String reason) implements Outcome {}

  /** Returns the record; that of a new pair if there was never one. */
  public CompletionStage<Seen> read() {
    return registers.read(KEY).thenApply(this::seen);
  }

  /** Makes a change of the record that was seen. */
  public CompletionStage<Outcome> change(Seen seen, Change change) {
    ModeMachine.Step step = ModeMachine.apply(seen.record(), change);
    if (!(step instanceof ModeMachine.Changed changed)) {
      return CompletableFuture.completedFuture(new Refused(((ModeMachine.Refused) step).reason()));
    }
    String text = RecordText.write(changed.record());
    last = new Parsed(text, changed.record());
    return write(seen.register(), text)
        .thenApply(
            reply ->
                reply instanceof RegisterReply.Written
                    ? new Made(seen(reply.register()))
                    : new Overtaken(seen(reply.register())));
  }

  private CompletionStage<RegisterReply> write(Register seen, String text) {
    try {
      return registers.compareAndSet(seen, Optional.of(text));
    } catch (RuntimeException e) { // More nodes than a register has room for.
      return CompletableFuture.failedFuture(e);
    }
  }

  private Seen seen(Register register) {
    return new Seen(
        register.value().map(this::parse).orElseGet(() -> ModeRecord.first(stores)), register);
  }

  private ModeRecord parse(String text) {
    Parsed known = last;
    if (known == null || !known.text().equals(text)) {
      known = new Parsed(text, RecordText.read(text));
      last = known;
    }
    return known.record();
  }
}
