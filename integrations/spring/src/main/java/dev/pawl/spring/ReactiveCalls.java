package dev.pawl.spring;

import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Calls that return a reactive type: locked for each subscription, until it has ended. */
final class ReactiveCalls {

  private ReactiveCalls() {}

  static @Nullable Object around(
      LockedOperation operation, String name, Pawl pawl, MethodInvocation invocation) {
    Class<?> type = operation.method().getReturnType();
    ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    Mono<Hold> lease = Mono.defer(() -> hold(operation, name, pawl));
    boolean many = adapter == null || adapter.isMultiValue();
    Publisher<Object> locked =
        many
            ? Flux.usingWhen(
                lease,
                held -> Flux.from(call(operation, held.lease(), invocation, adapter)),
                ReactiveCalls::close)
            : Mono.usingWhen(
                lease,
                held -> Mono.from(call(operation, held.lease(), invocation, adapter)),
                ReactiveCalls::close);
    Publisher<Object> result =
        operation.bearsBusy()
            ? Flux.from(locked)
                .onErrorResume(
                    LockTimeoutException.class, why -> instead(operation, invocation, why, adapter))
            : locked;
    if (!many) {
      result = Mono.from(result);
    }
    return adapter == null ? result : adapter.fromPublisher(result);
  }

  /** Who subscribes under the lock already, and waits, would wait for itself. */
  private static Mono<Hold> hold(LockedOperation operation, String name, Pawl pawl) {
    Optional<Hold> outer = HeldLocks.covering(name, operation.kind());
    return outer.isPresent()
        ? Mono.just(outer.get().share())
        : granted(() -> operation.acquireAsync(pawl, name)).map(Hold::new);
  }

  /** Asks for a lease; whoever cancels gives it up, even if it is granted at that moment. */
  static Mono<Lease> granted(Supplier<CompletableFuture<Lease>> ask) {
    return Mono.create(
        sink -> {
          CompletableFuture<Lease> asked = ask.get();
          sink.onCancel(() -> Hold.giveUp(asked, Schedulers.boundedElastic()::schedule));
          var unused =
              asked.whenComplete(
                  (lease, error) -> {
                    if (error == null) {
                      sink.success(lease);
                    } else {
                      sink.error(error);
                    }
                  });
        });
  }

  private static Publisher<Object> call(
      LockedOperation operation,
      Lease held,
      MethodInvocation invocation,
      @Nullable ReactiveAdapter adapter) {
    try {
      MethodInvocation own = ((ProxyMethodInvocation) invocation).invocableClone();
      return publisher(operation.proceed(own, held), adapter);
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }

  private static Publisher<Object> instead(
      LockedOperation operation,
      MethodInvocation invocation,
      LockTimeoutException why,
      @Nullable ReactiveAdapter adapter) {
    try {
      return publisher(operation.busy(invocation, why), adapter);
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static Publisher<Object> publisher(
      @Nullable Object returned, @Nullable ReactiveAdapter adapter) {
    if (returned == null) {
      return Mono.empty();
    }
    return adapter == null
        ? (Publisher<Object>) returned
        : (Publisher<Object>) (Publisher<?>) adapter.toPublisher(returned);
  }

  /** The release is a round trip: not on the thread of an event loop. */
  private static Mono<Void> close(Hold hold) {
    return Mono.<Void>fromRunnable(hold::done).subscribeOn(Schedulers.boundedElastic());
  }
}
