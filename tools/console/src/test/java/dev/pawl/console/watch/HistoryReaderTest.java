package dev.pawl.console.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Inspector;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.LockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is read of the jobs and the journal, and how often. */
class HistoryReaderTest {

  /** A job whose runs are not among the latest of all is asked for once, and not at each change. */
  @Test
  void aQuietJobIsReadOnce() {
    try (Pawl pawl = Pawl.connect("memory:")) {
      for (int i = 0; i < 30; i++) {
        pawl.job("quiet-" + i).run(Instant.ofEpochSecond(60), run -> {});
      }
      AtomicInteger asked = new AtomicInteger();
      Inspector inspector = withoutRuns(pawl.inspector(), asked);
      HistoryReader reader = new HistoryReader();
      for (int i = 1; i <= 5; i++) {
        pawl.job("busy").run(Instant.ofEpochSecond(60L * i), run -> {});
        assertThat(reader.read(inspector, (LockStore) pawl.store()).jobs()).hasSize(31);
      }
      assertThat(asked.get()).isEqualTo(31);
    }
  }

  /** Where the store failed between the two, the run is there on the next look. */
  @Test
  void aRunThatCouldNotBeReadIsReadWithTheNextLook() {
    try (Pawl pawl = Pawl.connect("memory:")) {
      HistoryReader reader = new HistoryReader();
      LockStore store = (LockStore) pawl.store();
      pawl.job("sms").run(Instant.ofEpochSecond(60), run -> {});
      assertThat(reader.read(pawl.inspector(), store).runs()).hasSize(1);
      pawl.job("sms").run(Instant.ofEpochSecond(120), run -> {});
      assertThatThrownBy(() -> reader.read(withoutAnswer(pawl.inspector()), store))
          .isInstanceOf(StoreUnavailableException.class);
      History later = reader.read(pawl.inspector(), store);
      assertThat(later.runs()).hasSize(2);
      assertThat(later.jobs().get(0).runs()).hasSize(2);
    }
  }

  /** An inspector that is not answered when it asks for runs. */
  private static Inspector withoutAnswer(Inspector inspector) {
    return (Inspector)
        Proxy.newProxyInstance(
            Inspector.class.getClassLoader(),
            new Class<?>[] {Inspector.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("runs")) {
                throw new StoreUnavailableException("no answer", null);
              }
              return method.invoke(inspector, arguments);
            });
  }

  /** An inspector that has none of their runs among the latest, and counts who asks for one's. */
  private static Inspector withoutRuns(Inspector inspector, AtomicInteger asked) {
    return (Inspector)
        Proxy.newProxyInstance(
            Inspector.class.getClassLoader(),
            new Class<?>[] {Inspector.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("runs")) {
                if (arguments.length == 1) {
                  return List.of();
                }
                asked.incrementAndGet();
              }
              try {
                return method.invoke(inspector, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
