package dev.pawl.redis.redlock;

import dev.pawl.spi.AcquireReply;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of the servers' clocks, and from where on it asks for tokens: a little more
 * than any server's clock shows, as far as this node has seen. It makes independent servers give
 * the same token without asking each other.
 */
final class ServerClocks {

  /** More than clocks that are kept by NTP are apart, with the way there. */
  private static final long AHEAD_MICROS = 50_000;

  /** How often a clock is read at first: an answer may be held up once on its way. */
  private static final int READINGS = 3;

  private final LongSupplier clockMicros;

  /** How much each server's clock was ahead of ours when it last answered. */
  private final ConcurrentMap<RedlockServer, Long> offsets = new ConcurrentHashMap<>();

  /** How much the store's time is ahead of ours: once it was told, it does not change any more. */
  private final AtomicReference<@Nullable Long> storeOffset = new AtomicReference<>();

  ServerClocks(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  /**
   * Reads the clocks of the servers that answer, so that two nodes have about the same time. Of
   * several readings the one counts that was on its way for the least time: it shows the most.
   */
  CompletionStage<Void> read(List<? extends RedlockServer> servers) {
    return CompletableFuture.allOf(
        servers.stream()
            .map(server -> read(server, READINGS).toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  private CompletionStage<Integer> read(RedlockServer server, int left) {
    return server
        .nowMicros()
        .thenCompose(
            nowMicros -> {
              offsets.merge(server, nowMicros - clockMicros.getAsLong(), Math::max);
              return left > 1
                  ? read(server, left - 1)
                  : CompletableFuture.completedFuture(READINGS);
            })
        .exceptionally(error -> left);
  }

  /** Returns the floor; zero, which asks for nothing, before any server was heard. */
  long tokenFloor() {
    OptionalLong offset = greatestOffset();
    return offset.isEmpty() ? 0 : clockMicros.getAsLong() + offset.getAsLong() + AHEAD_MICROS;
  }

  private OptionalLong greatestOffset() {
    return offsets.values().stream().mapToLong(Long::longValue).max();
  }

  /** Learns the server's clock from its answer. */
  CompletionStage<AcquireReply> watch(RedlockServer server, CompletionStage<AcquireReply> answer) {
    return answer.whenComplete(
        (vote, error) -> {
          if (vote instanceof AcquireReply.Granted granted) {
            learn(server, granted.grant().nowMicros());
          } else if (vote instanceof AcquireReply.Busy busy) {
            learn(server, busy.contention().nowMicros());
          }
        });
  }

  private void learn(RedlockServer server, long nowMicros) {
    offsets.put(server, nowMicros - clockMicros.getAsLong());
  }

  /** Returns a reading of our steady clock as the time of the store, which is as steady. */
  long storeMicros(long steadyMicros) {
    Long offset = storeOffset.get();
    if (offset == null) {
      greatestOffset().ifPresent(greatest -> storeOffset.compareAndSet(null, greatest));
      offset = storeOffset.get();
    }
    return offset == null ? steadyMicros : steadyMicros + offset;
  }
}
