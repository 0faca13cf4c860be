package dev.pawl.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PawlObservationsTest {

  /** One that has ended, as a tracer would see it. */
  private record Span(Observation.Context context, long nanos) {

    String outcome() {
      return context.getLowCardinalityKeyValue("outcome").getValue();
    }

    String lock() {
      return context.getHighCardinalityKeyValue("pawl.name").getValue();
    }
  }

  private final BlockingQueue<Span> spans = new LinkedBlockingQueue<>();
  private final ObservationRegistry registry = ObservationRegistry.create();
  private final MemoryStore store = new MemoryStore();
  private final Pawl pawl = Pawl.builder(store).build();

  @BeforeEach
  void record() {
    Map<Observation.Context, Long> started = new ConcurrentHashMap<>();
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler<Observation.Context>() {
              @Override
              public void onStart(Observation.Context context) {
                started.put(context, System.nanoTime());
              }

              @Override
              public void onStop(Observation.Context context) {
                spans.add(new Span(context, System.nanoTime() - started.remove(context)));
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
  }

  @AfterEach
  void close() {
    pawl.close();
    store.close();
  }

  private Span next() throws InterruptedException {
    return spans.poll(30, TimeUnit.SECONDS);
  }

  @Test
  void aTraceShowsTheWait() throws Exception {
    try (PawlObservations observed = new PawlObservations(pawl, registry);
        Pawl other = Pawl.builder(store).build()) {
      Lease theirs = other.lock("invoice:42").acquire();
      var unused = CompletableFuture.runAsync(() -> closeWhenAwaited(other, theirs));
      Observation request = Observation.start("request", registry);
      try (Observation.Scope scope = request.openScope()) {
        pawl.lock("invoice:42").acquire().close();
      }
      request.stop();

      Span acquire = next();
      assertThat(acquire.context().getName()).isEqualTo("pawl.acquiring");
      assertThat(acquire.context().getContextualName()).isEqualTo("acquire invoice:42");
      assertThat(acquire.lock()).isEqualTo("invoice:42");
      assertThat(acquire.outcome()).isEqualTo("waited");
      assertThat(acquire.nanos()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(10));
      assertThat(acquire.context().getParentObservation()).isSameAs(request);
      assertThat(next().context().getName()).isEqualTo("request");
    }
  }

  /** However late the caller comes, it waits: for a moment that is longer than is asserted. */
  private static void closeWhenAwaited(Pawl holder, Lease lease) {
    while (holder.inspector().find(lease.name()).orElseThrow().waiters().isEmpty()) {
      LockSupport.parkNanos(1_000_000);
    }
    LockSupport.parkNanos(30_000_000);
    lease.close();
  }

  @Test
  void theWorkOfAJobIsTheChildOfItsRun() throws Exception {
    try (PawlObservations observed = new PawlObservations(pawl, registry)) {
      pawl.job("sms")
          .runOrStandBy(
              Instant.now(),
              run -> Observation.createNotStarted("send", registry).observe(() -> {}))
          .get(30, TimeUnit.SECONDS);
      Span send = next();
      Span job = next();
      assertThat(job.context().getName()).isEqualTo("pawl.running");
      assertThat(job.lock()).isEqualTo("sms");
      assertThat(job.outcome()).isEqualTo("ran");
      assertThat(send.context().getParentObservation().getContextView()).isSameAs(job.context());
    }
    assertThat(registry.getCurrentObservation()).isNull();
  }

  @Test
  void aJobThatThrowsIsAnErrorInItsSpan() throws Exception {
    try (PawlObservations observed = new PawlObservations(pawl, registry)) {
      IllegalStateException error = new IllegalStateException("on purpose");
      pawl.job("sms")
          .run(
              Instant.now(),
              run -> {
                throw error;
              });
      Span job = next();
      assertThat(job.outcome()).isEqualTo("failed");
      assertThat(job.context().getError()).isSameAs(error);
    }
  }

  @Test
  void aRefusedCallHasASpanToo() throws Exception {
    try (PawlObservations observed = new PawlObservations(pawl, registry);
        Pawl other = Pawl.builder(store).build();
        Lease theirs = other.lock("x").acquire()) {
      assertThatThrownBy(() -> pawl.lock("x").acquire(Duration.ofMillis(10)))
          .hasMessageContaining("x");
      assertThat(next().outcome()).isEqualTo("timed_out");
    }
    pawl.lock("y").acquire().close();
    assertThat(spans).isEmpty();
  }
}
