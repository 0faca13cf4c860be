package dev.pawl.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** ShedLock's own tests of a provider, on one store. */
abstract class ProviderCases extends AbstractExtensibleLockProviderIntegrationTest {

  private Pawl pawl;
  private Pawl other;

  abstract String url();

  @BeforeEach
  final void connect() {
    pawl = Pawl.connect(url());
    other = Pawl.connect(url());
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
    assertThat(other.inspector().find("shedlock:" + name).orElseThrow().holders()).hasSize(1);
  }

  @Override
  protected final void assertUnlocked(String name) {
    other
        .inspector()
        .find("shedlock:" + name)
        .ifPresent(lock -> assertThat(lock.holders()).isEmpty());
  }
}
