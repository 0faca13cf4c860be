package dev.pawl.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** A memory store with a clock to set, and nodes with one claim each. */
final class StoreScene {

  static final long SECOND = 1_000_000;
  static final long LEASE = 10 * SECOND;

  final AtomicLong clock = new AtomicLong(1_000 * SECOND);
  final MemoryStore store = new MemoryStore(clock::get);

  static ClaimId id(String node) {
    return new ClaimId(node, 1);
  }

  static Command.Acquire ask(String name, String node) {
    return ask(name, id(node), 1, OptionalLong.empty());
  }

  static Command.Acquire ask(String name, ClaimId claim, int span, OptionalLong mark) {
    return new Command.Acquire(
        name,
        claim,
        Command.EVERYTHING,
        Command.EVERYTHING,
        LEASE,
        span,
        mark,
        true,
        true,
        claim.node(),
        "main");
  }

  static Command.Release release(String name, Grant grant, OptionalLong mark) {
    return new Command.Release(name, grant.claim(), grant.token(), mark, false);
  }

  static <T> T now(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).as("a memory store answers at once").isDone();
    return stage.toCompletableFuture().join();
  }

  Grant hold(Command.Acquire command) {
    AcquireReply reply = now(store.acquire(command));
    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
    return ((AcquireReply.Granted) reply).grant();
  }

  void queue(Command.Acquire command) {
    assertThat(now(store.acquire(command))).isInstanceOf(AcquireReply.Queued.class);
  }

  void free(String name, Grant grant) {
    assertThat(now(store.release(release(name, grant, OptionalLong.empty()))))
        .isEqualTo(ReleaseReply.RELEASED);
  }
}
