package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connecting in a thread that is interrupted, before or meanwhile; and connecting that fails. */
class NodeBuilderTest {

  private final AtomicInteger opened = new AtomicInteger();

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  private LockStore openInterruptibly() {
    opened.incrementAndGet();
    try {
      new CountDownLatch(Thread.currentThread().isInterrupted() ? 1 : 0).await();
    } catch (InterruptedException e) {
      throw new StoreUnavailableException("no connection", e);
    }
    return new MemoryStore();
  }

  private Pawl build(Supplier<LockStore> store) {
    return new NodeBuilder(store, store, true).build();
  }

  @Test
  void aThreadThatIsInterruptedConnectsAndStaysInterrupted() throws Exception {
    Thread.currentThread().interrupt();
    try (Pawl pawl = build(this::openInterruptibly)) {
      assertThat(Thread.interrupted()).isTrue();
      assertThat(opened).hasValue(1);
      pawl.lock("x").acquire().close();
    }
  }

  @Test
  void anInterruptMeanwhileDoesNotEndItAndIsKept() {
    Supplier<LockStore> store =
        () -> {
          if (opened.get() == 0) {
            Thread.currentThread().interrupt();
          }
          return openInterruptibly();
        };
    try (Pawl pawl = build(store)) {
      assertThat(Thread.interrupted()).as("%s", pawl).isTrue();
      assertThat(opened).hasValue(2);
    }
  }

  @Test
  void anOutageIsToldAsOneThoughTheThreadIsInterrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () ->
                build(
                    () -> {
                      opened.incrementAndGet();
                      throw new StoreUnavailableException("connection refused", null);
                    }))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage("connection refused");
    assertThat(opened).hasValue(1);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aNodeThatCannotBeStartedLeavesNoThread() {
    PuppetNode node = new PuppetNode(0);
    node.broken = Map.of("subscribe", new NoClassDefFoundError("a part of the driver"));
    long before = keepers();
    assertThatThrownBy(() -> build(() -> node.store)).isInstanceOf(NoClassDefFoundError.class);
    while (keepers() > before) {
      Thread.onSpinWait();
    }
  }

  private static long keepers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("pawl-keeper-"))
        .count();
  }
}
