package dev.pawl.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import java.time.Duration;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ShedLock's own tests of a provider, on one store. */
abstract class ProviderCases extends AbstractExtensibleLockProviderIntegrationTest {

  private Pawl pawl;
  private Pawl other;

  abstract String url();

  @BeforeEach
  final void connect() {
    pawl = connected();
    other = connected();
  }

  /** A node that bears a machine that stalls. */
  private Pawl connected() {
    return Pawl.builder(url()).responseTimeout(Duration.ofMinutes(1)).build();
  }

  @AfterEach
  final void disconnect() {
    pawl.close();
    other.close();
  }

  @Override
  protected final ExtensibleLockProvider getLockProvider() {
    return new PawlLockProvider(pawl);
  }

  @Override
  protected final void assertLocked(String name) {
    assertThat(other.inspector().find("shedlock:" + name))
        .hasValueSatisfying(lock -> assertThat(lock.holders()).hasSize(1));
  }

  @Override
  protected final void assertUnlocked(String name) {
    other
        .inspector()
        .find("shedlock:" + name)
        .ifPresent(lock -> assertThat(lock.holders()).isEmpty());
  }

  // What these take is to be held a moment later, and lasts for no longer than a machine may stall.

  @Test
  @Override
  public void shouldLockAtLeastFor() {
    whereNothingStalls(super::shouldLockAtLeastFor);
  }

  @Test
  @Override
  public void shouldBeAbleToExtendLock() {
    whereNothingStalls(super::shouldBeAbleToExtendLock);
  }

  @Test
  @Override
  public void shouldBeAbleToExtendMultipleTimes() {
    whereNothingStalls(super::shouldBeAbleToExtendMultipleTimes);
  }

  @Test
  @Override
  public void shouldNotBeAbleToExtendUnlockedLock() {
    whereNothingStalls(super::shouldNotBeAbleToExtendUnlockedLock);
  }

  private void whereNothingStalls(Measurement test) {
    try {
      Measurement.whereNothingStalls(
          () -> {
            free();
            test.take();
          });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** An earlier round may have left it. */
  private void free() {
    String name = "shedlock:" + LOCK_NAME1;
    other
        .inspector()
        .find(name)
        .ifPresent(
            lock ->
                lock.holders()
                    .forEach(
                        holder ->
                            other
                                .inspector()
                                .forceRelease(name, holder.token(), "a test", "another round")));
  }
}
