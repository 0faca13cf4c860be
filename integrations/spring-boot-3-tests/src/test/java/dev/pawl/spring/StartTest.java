package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the application that are made while Pawl's own are. */
class StartTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PawlAutoConfiguration.class))
          .withPropertyValues("pawl.store=memory:");

  public static class Invoices {
    @Locked("'invoice:' + #id")
    public String settle(long id, Lease lease) {
      return lease.name();
    }
  }

  /** So many methods that a map which remembers them has to grow. */
  public static class Settings {
    public void a01() {}

    public void a02() {}

    public void a03() {}

    public void a04() {}

    public void a05() {}

    public void a06() {}

    public void a07() {}

    public void a08() {}

    public void a09() {}

    public void a10() {}

    public void a11() {}

    public void a12() {}

    @Locked("settings")
    public int retries() {
      return 3;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class App {
    @Bean
    Invoices invoices() {
      return new Invoices();
    }

    @Bean
    Settings settings() {
      return new Settings();
    }

    /** Made when the first method with a lock is found, and makes the settings. */
    @Bean
    PawlDefaults defaults(Settings settings) {
      return new PawlDefaults(Optional.empty(), Optional.empty(), Optional.empty(), 3);
    }
  }

  @Test
  void theDefaultsOfPawlMayNeedABeanOfTheApplication() {
    runner
        .withUserConfiguration(App.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(Invoices.class).settle(7, null)).isEqualTo("invoice:7");
            });
  }

  public static class NeedsPawl {
    private final Pawl pawl;

    NeedsPawl(Pawl pawl) {
      this.pawl = pawl;
    }

    @Locked("needs-pawl")
    public String locked(Lease lease) {
      return lease.name() + " on " + pawl.store().describe();
    }
  }

  @Test
  void aBeanWithALockMayNeedPawlItself() {
    runner
        .withBean(Invoices.class)
        .withBean(NeedsPawl.class)
        .run(
            context ->
                assertThat(context.getBean(NeedsPawl.class).locked(null))
                    .isEqualTo("needs-pawl on memory"));
  }
}
