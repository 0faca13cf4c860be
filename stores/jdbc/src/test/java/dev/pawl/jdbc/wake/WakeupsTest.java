package dev.pawl.jdbc.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.PostgresDialect;
import dev.pawl.spi.ClaimId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever happens to the thread that looks for those who wait, or listens, is not the end. */
class WakeupsTest {

  private final Dialect dialect = new PostgresDialect();
  private final Signals signals = new Signals();
  private final List<Thread> connecting = new CopyOnWriteArrayList<>();
  private final CountDownLatch connected = new CountDownLatch(3);
  private final Connections connections =
      Connections.of(failing(), dialect, "nowhere", Duration.ofSeconds(3));
  private final WaiterCheck check =
      new WaiterCheck(signals, connections, (connection, seen) -> Map.of());

  @BeforeEach
  void subscribe() {
    signals.subscribe("node", signal -> {});
  }

  @AfterEach
  void close() {
    signals.close();
  }

  private void somebodyWaits(long claim) {
    signals.onWaiting("x", new ClaimId("node", claim), 1, false);
  }

  /** One may write the schema that is the default of the other. */
  @Test
  void nodesHearEachOtherWhetherTheyNameTheSchemaOrNot() {
    String channel = new Channels("pawl_lock").of("node");
    assertThat(new Channels("public.pawl_lock").of("node")).isEqualTo(channel);
    assertThat(new Channels("other_lock").of("node")).isNotEqualTo(channel);
    assertThat(new Channels("pawl_lock").of("other")).isNotEqualTo(channel);
  }

  @Test
  void anErrorIsNotTheLastPoll() throws Exception {
    CountDownLatch polled = new CountDownLatch(3);
    Poll.Watch broken =
        () -> {
          polled.countDown();
          throw new NoClassDefFoundError("just now");
        };
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    try {
      signals.use(new Poll(signals, check, timer, broken, 1_000_000, 5_000_000));
      somebodyWaits(1);
      assertThat(polled.await(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      timer.shutdownNow();
    }
  }

  @Test
  void whoeverWaitsWhenThereIsAThreadAgainIsPolledFor() throws Exception {
    CountDownLatch polled = new CountDownLatch(1);
    Poll.Watch watch =
        () -> {
          polled.countDown();
          return false;
        };
    ScheduledThreadPoolExecutor timer = withoutThreadAtFirst();
    try {
      signals.use(new Poll(signals, check, timer, watch, 1_000_000, 5_000_000));
      somebodyWaits(1);
      somebodyWaits(2);
      assertThat(polled.await(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      timer.shutdownNow();
    }
  }

  private static ScheduledThreadPoolExecutor withoutThreadAtFirst() {
    AtomicBoolean first = new AtomicBoolean(true);
    return new ScheduledThreadPoolExecutor(1) {
      @Override
      public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        if (first.getAndSet(false)) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        return super.schedule(task, delay, unit);
      }
    };
  }

  @Test
  void whoeverWaitsWhenThereIsAThreadAgainIsListenedFor() throws Exception {
    AtomicBoolean first = new AtomicBoolean(true);
    signals.use(
        listener(
            task -> {
              if (first.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return new Thread(task);
            }));
    somebodyWaits(1);
    somebodyWaits(2);
    assertThat(connected.await(1, TimeUnit.MINUTES)).isTrue();
  }

  /** Such as one that knows by its thread where to lead. */
  @Test
  void aDataSourceThatThrowsWhateverItLikesIsAskedAgainByTheSameThread() throws Exception {
    signals.use(listener(Thread::new));
    somebodyWaits(1);
    assertThat(connected.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(connecting.stream().distinct()).hasSize(1);
  }

  private NotifyListener listener(ThreadFactory threads) {
    return new NotifyListener(
        dialect.notifies().orElseThrow(), signals, connections, check, "pawl_lock", threads);
  }

  private DataSource failing() {
    return (DataSource)
        Proxy.newProxyInstance(
            WakeupsTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              connecting.add(Thread.currentThread());
              connected.countDown();
              throw new IllegalStateException("cannot tell where to");
            });
  }
}
