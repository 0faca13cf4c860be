package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a node knows of the servers' clocks when answers are held up on their way. */
class ServerClocksTest {

  private static final long AHEAD = 1_800_000_000_000_000L;

  private long now;

  /** A server whose clock is ahead of ours, and whose answers take that long. */
  private RedlockServer server(Long... delays) {
    Queue<Long> left = new ArrayDeque<>(List.of(delays));
    return (RedlockServer)
        Proxy.newProxyInstance(
            RedlockServer.class.getClassLoader(),
            new Class<?>[] {RedlockServer.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "nowMicros" -> {
                    long reading = now + AHEAD;
                    now += left.remove();
                    yield CompletableFuture.completedFuture(reading);
                  }
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> proxy == args[0];
                });
  }

  private static RedlockServer down() {
    return (RedlockServer)
        Proxy.newProxyInstance(
            RedlockServer.class.getClassLoader(),
            new Class<?>[] {RedlockServer.class},
            (proxy, method, args) ->
                CompletableFuture.failedFuture(new StoreUnavailableException("down", null)));
  }

  @Test
  void theAnswerThatWasLeastHeldUpCounts() {
    ServerClocks clocks = new ServerClocks(() -> now);
    assertThat(clocks.read(List.of(server(40_000L, 300L, 2_000L), down()))).isCompleted();
    assertThat(clocks.storeMicros(now)).isEqualTo(now + AHEAD - 300);
  }

  @Test
  void theTimeThatWasToldOnceIsAsSteadyAsOurs() {
    ServerClocks clocks = new ServerClocks(() -> now);
    assertThat(clocks.read(List.of(server(500L, 500L, 500L)))).isCompleted();
    long told = clocks.storeMicros(1_000);
    assertThat(clocks.read(List.of(server(100L, 100L, 100L)))).isCompleted();
    assertThat(clocks.storeMicros(1_250)).isEqualTo(told + 250);
  }

  @Test
  void withoutAnAnswerNoTokenIsAskedFor() {
    ServerClocks clocks = new ServerClocks(() -> now);
    assertThat(clocks.read(List.of(down(), down()))).isCompleted();
    assertThat(clocks.tokenFloor()).isZero();
  }
}
