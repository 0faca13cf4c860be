package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.testkit.UnreliableStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What {@link Locked} does while the store cannot be reached. */
class LockedOutageTest {

  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration LONG = Duration.ofSeconds(3);

  private final UnreliableStore store = new UnreliableStore(new MemoryStore());
  private AnnotationConfigApplicationContext context;
  private Invoices invoices;

  static class Invoices {
    private final AtomicInteger entered = new AtomicInteger();

    public int entered() {
      return entered.get();
    }

    @Locked("plain")
    public void settle(Runnable body, Lease lease) {
      entered.incrementAndGet();
      body.run();
    }

    @Locked(name = "brief", lease = "500ms")
    public void settleBriefly(Runnable body, Lease lease) {
      body.run();
    }

    @Locked(name = "patient", waitFor = "1m")
    public void settlePatiently() {
      entered.incrementAndGet();
    }

    @Locked(name = "skipped", ifBusy = Locked.IfBusy.SKIP)
    public Optional<String> settleOrSkip() {
      entered.incrementAndGet();
      return Optional.of("settled");
    }

    @Locked(name = "instead", fallback = "instead")
    public String settleOrElse() {
      entered.incrementAndGet();
      return "settled";
    }

    private String instead() {
      return "by somebody else";
    }

    @Locked("later")
    public CompletableFuture<String> settleLater() {
      entered.incrementAndGet();
      return CompletableFuture.completedFuture("settled");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnablePawl
  static class App {
    @Bean
    Pawl pawl(Store store, Duration responseTimeout) {
      return Pawl.builder(store).responseTimeout(responseTimeout).build();
    }

    @Bean
    Invoices invoices() {
      return new Invoices();
    }
  }

  /** A store that refuses is borne for that long; and on a busy machine a good one may need it. */
  private void start(Duration responseTimeout) {
    context = new AnnotationConfigApplicationContext();
    context.registerBean(
        Store.class, () -> store, definition -> definition.setDestroyMethodName(""));
    context.registerBean(Duration.class, () -> responseTimeout);
    context.register(App.class);
    context.refresh();
    invoices = context.getBean(Invoices.class);
  }

  @AfterEach
  void end() {
    store.become(UnreliableStore.Mode.GOOD);
    context.close();
  }

  @Test
  void aCallFailsAndTheMethodDoesNotRun() {
    start(SHORT);
    store.become(UnreliableStore.Mode.REFUSING);
    assertThatThrownBy(() -> invoices.settle(() -> {}, null))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("plain");
    assertThatThrownBy(() -> invoices.settleLater().join())
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(invoices.entered()).isEqualTo(0);
  }

  @Test
  void anOutageIsNotBusyNothingIsSkippedAndNoFallbackIsCalled() {
    start(SHORT);
    store.become(UnreliableStore.Mode.REFUSING);
    assertThatThrownBy(() -> invoices.settleOrSkip()).isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> invoices.settleOrElse()).isInstanceOf(StoreUnavailableException.class);
    assertThat(invoices.entered()).isEqualTo(0);
  }

  @Test
  void theNextCallAfterTheOutageRuns() {
    start(LONG);
    store.become(UnreliableStore.Mode.REFUSING);
    assertThatThrownBy(() -> invoices.settleOrElse()).isInstanceOf(StoreUnavailableException.class);
    store.become(UnreliableStore.Mode.GOOD);
    assertThat(invoices.settleOrElse()).isEqualTo("settled");
    invoices.settlePatiently();
    assertThat(invoices.entered()).isEqualTo(2);
  }

  @Test
  void aMethodThatEndsWithinItsLeaseHasHeldItsLock() {
    start(LONG);
    invoices.settle(() -> store.become(UnreliableStore.Mode.REFUSING), null);
    assertThat(invoices.entered()).isEqualTo(1);
  }

  @Test
  void aMethodThatOutlivesItsLeaseHasLostIt() {
    start(LONG);
    assertThatThrownBy(
            () ->
                invoices.settleBriefly(
                    () -> {
                      store.become(UnreliableStore.Mode.REFUSING);
                      Lease lease = HeldLocks.all().get(0).lock().orElseThrow().lease();
                      AppProcess.await(() -> !lease.isHeld(), () -> "it is still held");
                    },
                    null))
        .isInstanceOf(LeaseLostException.class);
  }
}
