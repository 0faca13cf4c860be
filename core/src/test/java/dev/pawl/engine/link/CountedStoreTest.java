package dev.pawl.engine.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl.Counts.Answer;
import dev.pawl.Pawl.Counts.Call;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CountedStoreTest {

  private final StoreCalls calls = new StoreCalls();

  /** A store of which every call does that. */
  private LockStore store(Object answer) {
    return new CountedStore(
        (LockStore)
            Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> {
                  if (answer instanceof Throwable thrown) {
                    throw thrown;
                  }
                  return answer;
                }),
        calls);
  }

  @Test
  void everyMethodOfAStoreIsHandedOn() {
    List<String> missing =
        Arrays.stream(LockStore.class.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> !isDeclared(method))
            .map(Method::getName)
            .toList();
    assertThat(missing).as("a default of LockStore would stand in for the store's own").isEmpty();
  }

  private static boolean isDeclared(Method method) {
    return Arrays.stream(CountedStore.class.getDeclaredMethods())
        .anyMatch(
            own ->
                own.getName().equals(method.getName())
                    && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
  }

  @Test
  void callsAreCountedByKindWhenTheyAreAnswered() {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    LockStore store = store(answer);
    assertThat(store.find("x")).isNotNull();
    assertThat(calls.count(Call.FIND, Answer.OK)).isZero();
    answer.complete(Optional.empty());
    assertThat(calls.count(Call.FIND, Answer.OK)).isEqualTo(1);
    assertThat(store.find("x")).isNotNull();
    assertThat(calls.count(Call.FIND, Answer.OK)).isEqualTo(2);
    assertThat(calls.count(Call.LIST, Answer.OK)).isZero();
  }

  @Test
  void failuresAreCountedByWhatTheyMean() {
    failed(CompletableFuture.failedFuture(new StoreUnavailableException("down", null)));
    failed(CompletableFuture.failedFuture(new OutcomeUnknownException("silent", null)));
    failed(new IllegalStateException("thrown"));
    assertThat(calls.count(Call.CLOCK, Answer.UNAVAILABLE)).isEqualTo(1);
    assertThat(calls.count(Call.CLOCK, Answer.UNKNOWN)).isEqualTo(1);
    assertThat(calls.count(Call.CLOCK, Answer.FAILED)).isEqualTo(1);
    assertThat(calls.count(Call.CLOCK, Answer.OK)).isZero();
  }

  private void failed(Object answer) {
    assertThat(store(answer).nowMicros().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void aFailedRenewalCountsForEachOfItsClaims() {
    LockStore down =
        store(CompletableFuture.failedFuture(new StoreUnavailableException("down", null)));
    assertThat(down.renew(Arrays.asList(null, null, null)).toCompletableFuture())
        .isCompletedExceptionally();
    LockStore up = store(CompletableFuture.completedFuture(List.<RenewReply>of()));
    assertThat(up.renew(List.of()).toCompletableFuture()).isCompleted();
    assertThat(calls.failedRenewals()).isEqualTo(3);
    assertThat(calls.count(Call.RENEW, Answer.UNAVAILABLE)).isEqualTo(1);
    assertThat(calls.count(Call.RENEW, Answer.OK)).isEqualTo(1);
  }
}
