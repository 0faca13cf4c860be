package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.memory.MemoryStore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link Locked} in plain Spring, with two nodes on one store. */
class LockedTest {

  private final MemoryStore store = new MemoryStore();
  private final Pawl other = Pawl.builder(store).label("other").build();
  private AnnotationConfigApplicationContext context;
  private Invoices invoices;

  @Retention(RetentionPolicy.RUNTIME)
  @Locked(ifBusy = Locked.IfBusy.SKIP)
  @interface InvoiceLock {
    @AliasFor(annotation = Locked.class, attribute = "name")
    String value();
  }

  static class Invoices {

    private final Nested nested;

    Invoices(Nested nested) {
      this.nested = nested;
    }

    @Locked
    public void byMethod(Supplier<String> names, int count) {
      names.get();
    }

    @Locked
    public void byMethod(Supplier<String> names, long count) {
      names.get();
    }

    @Locked("'invoice:' + #id")
    public String settle(long id, Lease lease) {
      assertThat(lease.isHeld()).isTrue();
      return lease.name() + " " + lease.token();
    }

    @Locked(name = "nightly", waitFor = "${wait:50ms}")
    public String nightly(Supplier<String> body) {
      return body.get();
    }

    @Locked(name = "nightly", ifBusy = Locked.IfBusy.SKIP)
    public Optional<String> skipped() {
      return Optional.of("ran");
    }

    @Locked(name = "nightly", fallback = "instead")
    public String withFallback(int id, Lease lease) {
      return "ran " + lease.token();
    }

    private String instead(int id, LockTimeoutException why) {
      return id + " is done by " + why.getMessage();
    }

    @InvoiceLock("'invoice:' + #id")
    public String composed(long id) {
      return "ran";
    }

    @Locked("later")
    public CompletableFuture<String> later(CompletableFuture<String> result) {
      return result;
    }

    @Locked("stage")
    public CompletionStage<String> stage(CompletionStage<String> result) {
      return result;
    }

    @Locked("reactive")
    public Mono<String> mono(Mono<String> result) {
      return result;
    }

    @Locked(name = "reactive", waitFor = "0s")
    public Flux<String> flux(Lease lease) {
      return Flux.just("token", "" + (lease.token() > 0));
    }

    @Locked(name = "reactive", ifBusy = Locked.IfBusy.SKIP)
    public Mono<String> skippedMono() {
      return Mono.just("ran");
    }

    @Locked("nested")
    public String outer(Lease lease) {
      return nested.inner(null).equals("" + lease.token()) ? "same lease" : "another";
    }

    @Locked("nested")
    public void beginInside(CompletableFuture<String> result) {
      var unused = nested.later(result);
    }

    @Locked("nested")
    public String blockInside() {
      return nested.mono().block();
    }

    @Locked(name = "catalog", shared = true, waitFor = "0s")
    public String read(Supplier<String> body) {
      return body.get();
    }

    @Locked(name = "gpu", capacity = 3, permits = 2, waitFor = "0s")
    public String render(Supplier<String> body) {
      return body.get();
    }
  }

  /** Implemented at run time: as a client, a mapper or a repository is. */
  interface Remote {
    @Locked
    String fetch(Supplier<String> body);
  }

  /** Implemented by a lambda. */
  interface Step {
    @Locked
    String take(Supplier<String> body);
  }

  static class Nested {
    @Locked("nested")
    public String inner(Lease lease) {
      return "" + lease.token();
    }

    @Locked("nested")
    public CompletableFuture<String> later(CompletableFuture<String> result) {
      return result;
    }

    @Locked("nested")
    public Mono<String> mono() {
      return Mono.just("not waited for itself");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnablePawl
  static class App {

    @Bean
    Pawl pawl(Store store) {
      return Pawl.builder(store).label("this").build();
    }

    @Bean
    Nested nested() {
      return new Nested();
    }

    @Bean
    Remote remote() {
      Object self = new Object();
      InvocationHandler client =
          (proxy, method, arguments) ->
              method.getDeclaringClass() == Object.class
                  ? method.invoke(self, arguments)
                  : ((Supplier<?>) arguments[0]).get();
      return (Remote)
          Proxy.newProxyInstance(
              Remote.class.getClassLoader(), new Class<?>[] {Remote.class}, client);
    }

    @Bean
    Step step() {
      return Supplier::get;
    }

    @Bean
    Invoices invoices(Nested nested) {
      return new Invoices(nested);
    }
  }

  @BeforeEach
  void start() {
    context = new AnnotationConfigApplicationContext();
    context.registerBean(
        Store.class, () -> store, definition -> definition.setDestroyMethodName(""));
    context.register(App.class);
    context.refresh();
    invoices = context.getBean(Invoices.class);
  }

  @AfterEach
  void end() {
    context.close();
    other.close();
  }

  private String heldNames() {
    return other.inspector().listInUse("", 10).stream()
        .map(info -> info.name())
        .toList()
        .toString();
  }

  @Test
  void withoutANameItIsTheClassTheMethodAndTheTypesOfItsParameters() {
    String[] seen = new String[2];
    invoices.byMethod(() -> seen[0] = heldNames(), 1);
    invoices.byMethod(() -> seen[1] = heldNames(), 1L);

    String method = Invoices.class.getName() + ".byMethod(java.util.function.Supplier,";
    assertThat(seen).containsExactly("[" + method + "int)]", "[" + method + "long)]");
  }

  /** Such a class is called {@code $Proxy57} on one node, and {@code $Proxy58} on another. */
  @Test
  void ofAClassThatIsMadeAtRunTimeItIsTheInterface() {
    String fetch = ".fetch(" + Supplier.class.getName() + ")";
    assertThat(context.getBean(Remote.class).fetch(this::heldNames))
        .isEqualTo("[" + Remote.class.getName() + fetch + "]");
    String take = ".take(" + Supplier.class.getName() + ")";
    assertThat(context.getBean(Step.class).take(this::heldNames))
        .isEqualTo("[" + Step.class.getName() + take + "]");
  }

  @Test
  void theNameIsAnExpressionOverTheArguments() {
    assertThat(invoices.settle(42, null)).startsWith("invoice:42 ");
  }

  @Test
  void tokensRiseFromCallToCall() {
    long first = Long.parseLong(invoices.settle(42, null).split(" ")[1]);
    long second = Long.parseLong(invoices.settle(42, null).split(" ")[1]);
    assertThat(second).isGreaterThan(first);
  }

  @Test
  void aTextWithoutVariablesIsTheNameAndIsFreeAfterwards() {
    assertThat(invoices.nightly(this::heldNames)).isEqualTo("[nightly]");
    assertThat(heldNames()).isEqualTo("[]");
  }

  @Test
  void anExceptionOfTheMethodIsTheCallersAndReleases() {
    IllegalStateException mine = new IllegalStateException("mine");
    assertThatThrownBy(
            () ->
                invoices.nightly(
                    () -> {
                      throw mine;
                    }))
        .isSameAs(mine)
        .hasNoSuppressedExceptions();
    assertThat(heldNames()).isEqualTo("[]");
  }

  @Test
  void aBusyLockThrowsWithWhoHasIt() throws Exception {
    try (Lease held = other.lock("nightly").acquire()) {
      assertThatThrownBy(() -> invoices.nightly(() -> "ran"))
          .isInstanceOf(LockTimeoutException.class)
          .hasMessageContaining("other");
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void aBusyLockIsSkipped() throws Exception {
    assertThat(invoices.skipped()).contains("ran");
    try (Lease held = other.lock("nightly").acquire()) {
      assertThat(invoices.skipped()).isEmpty();
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void aBusyLockHasAFallback() throws Exception {
    assertThat(invoices.withFallback(7, null)).startsWith("ran ");
    try (Lease held = other.lock("nightly").acquire()) {
      assertThat(invoices.withFallback(7, null)).startsWith("7 is done by").contains("other");
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void anInterruptEndsTheWaitAndTheThreadStaysInterrupted() throws Exception {
    try (Lease held = other.lock("nightly").acquire()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> invoices.nightly(() -> "ran"))
          .isInstanceOf(CancellationException.class)
          .hasMessageContaining("nightly");
      assertThat(Thread.interrupted()).isTrue();
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void composedAnnotationsWork() throws Exception {
    assertThat(invoices.composed(1)).isEqualTo("ran");
    try (Lease held = other.lock("invoice:1").acquire()) {
      assertThat(invoices.composed(1)).isNull();
      assertThat(invoices.composed(2)).isEqualTo("ran");
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void aFutureHoldsTheLockUntilItHasCompleted() throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletableFuture<String> returned = invoices.later(result);
    assertThat(heldNames()).isEqualTo("[later]");

    result.complete("done");

    assertThat(returned.get()).isEqualTo("done");
    assertThat(heldNames()).isEqualTo("[]");
  }

  /** It may be the event loop that the answer of the store comes by. */
  @Test
  void theThreadThatCompletesAFutureDoesNotReleaseItsLock() throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletableFuture<Thread> after =
        invoices.later(result).thenApply(value -> Thread.currentThread());

    result.complete("done");

    assertThat(after.get()).isNotSameAs(Thread.currentThread());
    assertThat(heldNames()).isEqualTo("[]");
  }

  /** They are futures, and refuse to say whether they are done. */
  @Test
  void aMinimalStageIsHeldAndReleasedToo() {
    assertThat(invoices.stage(CompletableFuture.completedStage("done")).toCompletableFuture())
        .succeedsWithin(Duration.ofMinutes(1))
        .isEqualTo("done");
    assertThat(heldNames()).isEqualTo("[]");
    assertThat(
            invoices
                .stage(CompletableFuture.failedStage(new IllegalStateException("mine")))
                .toCompletableFuture())
        .failsWithin(Duration.ofMinutes(1));
    assertThat(heldNames()).isEqualTo("[]");
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletionStage<String> returned = invoices.stage(result.minimalCompletionStage());
    assertThat(heldNames()).isEqualTo("[stage]");
    result.complete("later");
    assertThat(returned.toCompletableFuture())
        .succeedsWithin(Duration.ofMinutes(1))
        .isEqualTo("later");
    assertThat(heldNames()).isEqualTo("[]");
  }

  @Test
  void aFutureThatFailsReleasesToo() {
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletableFuture<String> returned = invoices.later(result);
    result.completeExceptionally(new IllegalStateException("mine"));
    assertThatThrownBy(returned::get).hasRootCauseMessage("mine");
    assertThat(heldNames()).isEqualTo("[]");
  }

  @Test
  void aMonoIsLockedForEachSubscriptionUntilItHasCompleted() {
    Mono<String> mono = invoices.mono(Mono.fromSupplier(this::heldNames));
    assertThat(heldNames()).isEqualTo("[]");
    assertThat(mono.block()).isEqualTo("[reactive]");
    assertThat(mono.block()).isEqualTo("[reactive]");
    assertThat(heldNames()).isEqualTo("[]");
  }

  @Test
  void aMonoThatIsCancelledReleases() {
    CompletableFuture<Void> released = new CompletableFuture<>();
    Runnable unlisten =
        context
            .getBean(Pawl.class)
            .listen(
                event -> {
                  if (event instanceof dev.pawl.LockEvent.Released) {
                    released.complete(null);
                  }
                });
    CompletableFuture<Void> subscribed = new CompletableFuture<>();
    var subscription =
        invoices
            .mono(Mono.<String>never().doOnSubscribe(each -> subscribed.complete(null)))
            .subscribe();
    subscribed.join();
    assertThat(heldNames()).isEqualTo("[reactive]");
    subscription.dispose();
    released.join();
    unlisten.run();
  }

  @Test
  void aFluxHasTheLeaseAndABusyOneFailsOrIsEmpty() throws Exception {
    assertThat(invoices.flux(null).collectList().block()).containsExactly("token", "true");
    try (Lease held = other.lock("reactive").acquire()) {
      assertThatThrownBy(() -> invoices.flux(null).blockLast())
          .isInstanceOf(LockTimeoutException.class);
      assertThat(invoices.skippedMono().block()).isNull();
      assertThat(held.isHeld()).isTrue();
    }
  }

  @Test
  void aCallInsideOfACallForTheSameNameIsPartOfIt() {
    assertThat(invoices.outer(null)).isEqualTo("same lease");
    assertThat(heldNames()).isEqualTo("[]");
  }

  @Test
  void aFutureOfACallInsideHoldsTheLockWhenTheOuterCallHasReturned() {
    CompletableFuture<String> result = new CompletableFuture<>();
    invoices.beginInside(result);
    assertThat(heldNames()).isEqualTo("[nested]");
    result.complete("done");
    AppProcess.await(() -> heldNames().equals("[]"), this::heldNames);
  }

  @Test
  void whoBlocksOnAMonoUnderItsLockDoesNotWaitForItself() {
    assertThat(invoices.blockInside()).isEqualTo("not waited for itself");
    assertThat(heldNames()).isEqualTo("[]");
  }

  @Test
  void readersShareAndExcludeAWriter() {
    assertThat(invoices.read(() -> invoices.read(() -> "two readers"))).isEqualTo("two readers");
    assertThat(invoices.read(() -> "" + other.lock("catalog").tryAcquire().isPresent()))
        .isEqualTo("false");
  }

  @Test
  void permitsAreCounted() {
    assertThat(invoices.render(() -> "" + other.semaphore("gpu", 3).tryAcquire(2).isPresent()))
        .isEqualTo("false");
    assertThatThrownBy(() -> invoices.render(() -> invoices.render(() -> "twice")))
        .isInstanceOfAny(LockTimeoutException.class, DeadlockException.class);
    assertThat(heldNames()).isEqualTo("[]");
  }
}
