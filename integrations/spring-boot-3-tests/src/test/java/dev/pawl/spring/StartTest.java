package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeansException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What happens when an application starts: beans that need each other, a store that is not there.
 */
@Isolated("reads what is printed")
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

  @EnableAutoConfiguration
  static class OnAStore {}

  /** A stack trace of hundreds of lines hides the one that matters. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://127.0.0.1:1?timeout=2s",
        "jdbc:postgresql://127.0.0.1:1/app?user=app",
        "sqlite:/nowhere/at/all/locks.db",
        "nosuch:thing"
      })
  void aStoreThatCannotBeOpenedIsSaidInAFewLines(String url) {
    assertThat(saidAtTheStart(OnAStore.class, "--pawl.store=" + url))
        .containsOnlyOnce("The store of Pawl cannot be opened: ")
        .containsOnlyOnce("pawl.store=memory:");
  }

  @ParameterizedTest
  @CsvSource({
    "pawl.defaults.lease=5ms, 'A value of pawl.defaults is not allowed: lease is 5ms; '",
    "pawl.response-timeout=1ms, 'A value of pawl.response-timeout is not allowed: '",
    "pawl.label= , 'A value of pawl.label is not allowed: label is \"\"; '"
  })
  void aPropertyThatIsNotAllowedIsSaidInAFewLines(String property, String said) {
    assertThat(saidAtTheStart(OnAStore.class, "--pawl.store=memory:", "--" + property))
        .containsOnlyOnce(said);
  }

  @EnableAutoConfiguration
  static class WithAMistake {
    @Bean
    Hidden hidden() {
      return new Hidden();
    }
  }

  public static class Hidden {
    @Locked("a")
    public final void settle() {}
  }

  @Test
  void aMistakeInAnAnnotationIsSaidInAFewLines() {
    assertThat(saidAtTheStart(WithAMistake.class, "--pawl.store=memory:"))
        .containsOnlyOnce(
            "@Locked on " + Hidden.class.getName() + ".settle: the method is private");
  }

  private static String saidAtTheStart(Class<?> application, String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--spring.datasource.url=jdbc:sqlite::memory:";
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThatThrownBy(() -> SpringApplication.run(application, all))
          .isInstanceOf(BeansException.class);
    } finally {
      System.setOut(before);
    }
    String text = said.toString(StandardCharsets.UTF_8);
    assertThat(text).contains("APPLICATION FAILED TO START");
    assertThat(text.lines().filter(line -> line.startsWith("\tat "))).isEmpty();
    return text.substring(text.indexOf("APPLICATION FAILED"));
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
