package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Capability;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** I11: doubt is not contention. */
abstract class OutageCases extends SpiCases {

  OutageCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aClosedStoreFailsAndDoesNotSayBusy() {
    LockStore closed = freshStore();
    closed.close();
    ClaimId claim = new ClaimId("gone", 1);

    fails(
        "acquire",
        () ->
            closed.acquire(
                new Command.Acquire(
                    name(),
                    claim,
                    Command.EVERYTHING,
                    Command.EVERYTHING,
                    1_000_000,
                    1,
                    OptionalLong.empty(),
                    false,
                    true,
                    "gone",
                    "main")));
    fails(
        "renew",
        () -> closed.renew(List.of(new Command.Renew(name(), claim, 1, 1_000_000, "main"))));
    fails(
        "release",
        () -> closed.release(new Command.Release(name(), claim, 1, OptionalLong.empty(), false)));
    fails("cancel", () -> closed.cancel(new Command.Cancel(name(), claim, false)));
    fails("evict", () -> closed.evict(new Command.Evict(name(), 1)));
    if (closed.capabilities().contains(Capability.MARKS)) {
      fails("reset", () -> closed.reset(new Command.Reset(name(), 1, OptionalLong.empty())));
    }
    fails("find", () -> closed.find(name()));
    fails("list", () -> closed.list(Listing.all(prefix(), 10)));
    if (closed.capabilities().contains(Capability.REGISTERS)) {
      Register absent = Register.absent(name());
      fails("read of a register", () -> closed.registers().read(name()));
      fails("write", () -> closed.registers().compareAndSet(absent, Optional.of("x")));
      fails("list of registers", () -> closed.registers().list("", 10));
    }
  }

  @Test
  void aStoreMayBeClosedTwice() {
    LockStore closed = freshStore();
    closed.close();
    closed.close();
  }

  @Test
  void aBlockingStoreAnswersBeforeItReturns() {
    if (store().blocking()) {
      CompletionStage<?> stage =
          store().cancel(new Command.Cancel(name(), new ClaimId("n", 1), false));
      assertThat(stage.toCompletableFuture()).isDone();
    }
  }

  @Test
  void aStoreHasADescriptionForPeople() {
    assertThat(store().describe()).isNotBlank();
  }

  private static void fails(String operation, Supplier<CompletionStage<?>> call) {
    Throwable failure = Replies.failureOf(call.get());
    assertThat(failure)
        .as("%s on a closed store", operation)
        .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
  }
}
