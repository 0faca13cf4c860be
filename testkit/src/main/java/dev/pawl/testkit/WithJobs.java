package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Cases with one job that several nodes run. */
@Needs(Capability.MARKS)
abstract class WithJobs extends ApiCases {

  static final Instant TICK = Instant.parse("2026-11-15T12:00:00Z");

  /** How far apart the clocks of two servers of one store may be, each of which has some names. */
  static final Duration APART = Duration.ofSeconds(1);

  WithJobs(StoreConformance suite) {
    super(suite);
  }

  /** Reads the store's clock: of any of its servers, not always of the one that has the job. */
  final Instant storeTime() {
    return Instant.EPOCH.plus(Replies.of(store().nowMicros()), ChronoUnit.MICROS);
  }

  final Job job(Pawl pawl) {
    return pawl.job(name(), options());
  }

  /** A body that counts its runs. */
  static Job.Body<Integer> counting(AtomicInteger runs) {
    return run -> runs.incrementAndGet();
  }

  /** A body that fails. */
  static Job.Body<Integer> failing(String why) {
    return run -> {
      throw new IllegalStateException(why);
    };
  }

  /** Waits until the node with that label stands by, as far as one can see. */
  final void standsBy(String label) {
    waitsInTheStore(Job.PREFIX + name(), label);
  }

  @SuppressWarnings({"unchecked", "rawtypes", "TypeParameterUnusedInFormals"})
  static <O> O as(Class type, Object outcome) {
    assertThat(outcome).isInstanceOf(type);
    return (O) outcome;
  }

  static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }
}
