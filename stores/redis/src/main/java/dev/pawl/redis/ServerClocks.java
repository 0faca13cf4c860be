package dev.pawl.redis;

import dev.pawl.spi.AcquireReply;
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

  private final LongSupplier clockMicros;

  /** How much each server's clock was ahead of ours when it last answered. */
  private final ConcurrentMap<RedlockServer, Long> offsets = new ConcurrentHashMap<>();

  /** How much the first server that answered was ahead; it does not change any more. */
  private final AtomicReference<@Nullable Long> firstOffset = new AtomicReference<>();

  ServerClocks(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  /** Returns the floor; zero, which asks for nothing, before any server was heard. */
  long tokenFloor() {
    return offsets.values().stream().mapToLong(Long::longValue).max().stream()
        .map(offset -> clockMicros.getAsLong() + offset + AHEAD_MICROS)
        .findFirst()
        .orElse(0);
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
    long offset = nowMicros - clockMicros.getAsLong();
    offsets.put(server, offset);
    firstOffset.compareAndSet(null, offset);
  }

  /** Returns a reading of our steady clock as the time of the store, which is as steady. */
  long storeMicros(long steadyMicros) {
    Long offset = firstOffset.get();
    return offset == null ? steadyMicros : steadyMicros + offset;
  }
}
