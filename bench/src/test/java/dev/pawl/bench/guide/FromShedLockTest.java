package dev.pawl.bench.guide;

import static dev.pawl.bench.guide.Workers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.shedlock.PawlLockProvider;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The page "From ShedLock": its provider for Redis and ours side by side, in one Redis. */
class FromShedLockTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Workers workers = new Workers();
  private final RedisServer server = RedisServer.start();
  private LettuceConnectionFactory factory;
  private LockProvider theirs;
  private Pawl pawl;
  private LockProvider ours;

  @BeforeEach
  void connect() {
    factory = new LettuceConnectionFactory("127.0.0.1", server.port());
    factory.afterPropertiesSet();
    factory.start();
    theirs = new RedisLockProvider(factory, "test");
    pawl = Pawl.builder(server.url()).responseTimeout(Duration.ofSeconds(1)).build();
    ours = new PawlLockProvider(pawl);
  }

  @AfterEach
  void close() {
    workers.close();
    pawl.close();
    factory.destroy();
    server.close();
  }

  private static LockConfiguration lasting(Duration most, Duration least) {
    return new LockConfiguration(Instant.now(), "report", most, least);
  }

  @Test
  void aTaskThatTakesTooLongFreesTheNextOnesLockThereAndNotHere() throws Exception {
    assertThat(isFreeAfterLateUnlock(theirs)).isTrue();
    assertThat(isFreeAfterLateUnlock(ours)).isFalse();
  }

  private static boolean isFreeAfterLateUnlock(LockProvider provider) throws Exception {
    Duration brief = Duration.ofMillis(200);
    SimpleLock first = provider.lock(lasting(brief, Duration.ZERO)).orElseThrow();
    until(() -> provider.lock(lasting(MINUTE, Duration.ZERO)).isPresent());
    first.unlock(); // No error, in either.
    return provider.lock(lasting(MINUTE, Duration.ZERO)).isPresent();
  }

  @Test
  void aShorterExtensionShortensTheirsAndNotOurs() throws Exception {
    Duration brief = Duration.ofMillis(200);
    SimpleLock held = theirs.lock(lasting(MINUTE, Duration.ZERO)).orElseThrow();
    assertThat(held.extend(brief, Duration.ZERO)).isPresent();
    until(() -> theirs.lock(lasting(MINUTE, Duration.ZERO)).isPresent());
    SimpleLock mine = ours.lock(lasting(MINUTE, Duration.ZERO)).orElseThrow();
    assertThat(mine.extend(brief, Duration.ZERO)).isPresent();
    assertThat(pawl.inspector().find("shedlock:report").orElseThrow().holders().get(0).left())
        .isGreaterThan(Duration.ofSeconds(10));
  }

  @Test
  void longerThanADayIsTheirsAlone() {
    LockConfiguration long25 = lasting(Duration.ofHours(25), Duration.ZERO);
    assertThat(theirs.lock(long25)).isPresent();
    assertThatThrownBy(() -> ours.lock(long25)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOutageIsAnErrorOfTheDriverThereAndALockExceptionHere() {
    assertThat(theirs.lock(lasting(MINUTE, Duration.ZERO))).isPresent();
    server.kill();
    assertThatThrownBy(() -> ours.lock(lasting(MINUTE, Duration.ZERO)))
        .isInstanceOf(LockException.class);
    LettuceConnectionFactory fresh = new LettuceConnectionFactory("127.0.0.1", server.port());
    fresh.afterPropertiesSet();
    fresh.start();
    assertThatThrownBy(() -> new RedisLockProvider(fresh, "test").lock(lasting(MINUTE, MINUTE)))
        .isInstanceOf(DataAccessException.class);
    fresh.destroy();
  }

  @Test
  void duringTheChangeNoTwoWork() throws Exception {
    Workers.Version old = work -> worked(theirs, work);
    Workers.Version both = work -> worked(new BothProviders(theirs, ours), work);
    Workers.Version neo = work -> worked(ours, work);
    workers.beside(30, old, old, both, both);
    workers.beside(30, both, both, neo, neo);
    Workers.assertShown("from-shedlock.md", "BothProviders");
  }

  private static void worked(LockProvider provider, Consumer<String> work) {
    while (true) {
      Optional<SimpleLock> lock = provider.lock(lasting(MINUTE, Duration.ZERO));
      if (lock.isPresent()) {
        work.accept(provider.toString());
        lock.get().unlock();
        return;
      }
      Thread.onSpinWait();
    }
  }

  /** So a tick that a new node runs is not run by an old one either. */
  @Test
  void whoIsRefusedByTheSecondGivesTheFirstBackAfterItsShortestTime() {
    assertThat(ours.lock(lasting(MINUTE, Duration.ZERO))).isPresent();
    LockProvider both = new BothProviders(theirs, ours);
    assertThat(both.lock(lasting(MINUTE, Duration.ZERO))).isEmpty();
    SimpleLock first = theirs.lock(lasting(MINUTE, Duration.ZERO)).orElseThrow();
    first.unlock();
    assertThat(both.lock(lasting(MINUTE, Duration.ofSeconds(30)))).isEmpty();
    assertThat(theirs.lock(lasting(MINUTE, Duration.ZERO))).isEmpty();
  }
}
