package dev.pawl.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What ShedLock's own tests do not ask. */
class PawlLockProviderTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Pawl pawl = Pawl.connect("memory:");
  private final PawlLockProvider provider = new PawlLockProvider(pawl);

  @AfterEach
  void close() {
    pawl.close();
  }

  private static LockConfiguration configuration(Duration atMost, Duration atLeast) {
    return new LockConfiguration(ClockProvider.now(), "report", atMost, atLeast);
  }

  @Test
  void aLockIsAnOrdinaryOneThatAPersonCanSeeAndRelease() {
    assertThat(provider.lock(configuration(MINUTE, Duration.ZERO))).isPresent();
    long token = pawl.inspector().find("shedlock:report").orElseThrow().holders().get(0).token();
    pawl.inspector().forceRelease("shedlock:report", token, "eve", "the host is gone");
    assertThat(provider.lock(configuration(MINUTE, Duration.ZERO))).isPresent();
  }

  @Test
  void withoutAPrefixTheTaskAndALockOfTheSameNameExcludeEachOther() {
    PawlLockProvider plain = new PawlLockProvider(pawl, "");
    try (Lease lease = pawl.lock("report").tryAcquire().orElseThrow()) {
      assertThat(plain.lock(configuration(MINUTE, Duration.ZERO))).isEmpty();
    }
    assertThat(plain.lock(configuration(MINUTE, Duration.ZERO))).isPresent();
  }

  @Test
  void aLockThatEndedBeforeItsTaskIsUnlockedWithoutAnError() {
    SimpleLock first =
        provider.lock(configuration(Duration.ofMillis(100), Duration.ZERO)).orElseThrow();
    Optional<SimpleLock> second = Optional.empty();
    while (second.isEmpty()) {
      second = provider.lock(configuration(MINUTE, Duration.ZERO));
    }
    first.unlock();
    assertThat(provider.lock(configuration(MINUTE, Duration.ZERO)))
        .describedAs("the first does not unlock what the second has")
        .isEmpty();
  }

  @Test
  void aLockThatIsKeptOutlivesTheNodeThatHadIt() {
    try (RedisServer server = RedisServer.start();
        Pawl other = Pawl.connect(server.url())) {
      try (Pawl node = Pawl.connect(server.url())) {
        new PawlLockProvider(node).lock(configuration(MINUTE, MINUTE)).orElseThrow().unlock();
      }
      assertThat(new PawlLockProvider(other).lock(configuration(MINUTE, MINUTE))).isEmpty();
    }
  }

  @Test
  void moreThanADayIsRefusedInsteadOfEndingEarly() {
    assertThatThrownBy(() -> provider.lock(configuration(Duration.ofHours(25), Duration.ZERO)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lockAtMostFor of report is 1d1h");
  }

  @Test
  void anOutageIsNoBusyLock() {
    try (RedisServer server = RedisServer.start();
        Pawl node = Pawl.connect(server.url())) {
      server.kill();
      PawlLockProvider provider = new PawlLockProvider(node);
      assertThatThrownBy(() -> provider.lock(configuration(MINUTE, Duration.ZERO)))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("cannot tell whether report is locked");
    }
  }

  @Test
  void shedLocksExecutorRunsATaskOnce() {
    AtomicInteger runs = new AtomicInteger();
    DefaultLockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
    for (int i = 0; i < 8; i++) {
      executor.executeWithLock((Runnable) runs::incrementAndGet, configuration(MINUTE, MINUTE));
    }
    assertThat(runs).hasValue(1);
  }
}
