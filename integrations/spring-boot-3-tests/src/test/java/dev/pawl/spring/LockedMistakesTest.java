package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What cannot work is refused when the context starts, with what to do. */
class LockedMistakesTest {

  @Configuration(proxyBeanMethods = false)
  @EnablePawl
  static class App {
    @Bean
    Pawl pawl() {
      return Pawl.connect("memory:");
    }
  }

  private static void assertRefused(Class<?> bean, String... reasons) {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(App.class, bean);
      assertThatThrownBy(context::refresh)
          .rootCause()
          .extracting(Throwable::getMessage)
          .satisfies(message -> assertThat((String) message).contains(reasons));
    }
  }

  static class Typo {
    @Locked("'invoice:' + #idd")
    public void settle(long id) {}
  }

  @Test
  void aVariableThatIsNoParameter() {
    assertRefused(Typo.class, "#idd", "no parameter");
  }

  static class Unquoted {
    @Locked("invoice: + #id")
    public void settle(long id) {}
  }

  @Test
  void anExpressionThatIsNone() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(App.class, Unquoted.class);
      assertThatThrownBy(context::refresh)
          .hasStackTraceContaining("write texts in it in single quotes");
    }
  }

  static class Hidden {
    @Locked("a")
    private void settle() {}
  }

  @Test
  void aPrivateMethod() {
    assertRefused(Hidden.class, "private", "proxy");
  }

  static class OldFuture {
    @Locked("a")
    public Future<String> settle() {
      return null;
    }
  }

  @Test
  void aFutureThatTellsNobody() {
    assertRefused(OldFuture.class, "CompletableFuture");
  }

  static class Skipped {
    @Locked(name = "a", ifBusy = Locked.IfBusy.SKIP)
    public int settle() {
      return 1;
    }
  }

  @Test
  void aSkippedCallThatMustReturnANumber() {
    assertRefused(Skipped.class, "fallback");
  }

  static class NoFallback {
    @Locked(name = "a", fallback = "nowhere")
    public void settle(String id) {}
  }

  @Test
  void aFallbackThatIsMissing() {
    assertRefused(NoFallback.class, "nowhere", "same parameters");
  }

  static class BadWait {
    @Locked(name = "a", waitFor = "soon")
    public void settle() {}
  }

  @Test
  void aWaitThatIsNoDuration() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(App.class, BadWait.class);
      assertThatThrownBy(context::refresh).hasStackTraceContaining("write it like 10s");
    }
  }

  static class TooMany {
    @Locked(name = "a", capacity = 2, permits = 3)
    public void settle() {}
  }

  @Test
  void morePermitsThanThereAre() {
    assertRefused(TooMany.class, "more than capacity");
  }

  static class Unscheduled {
    @OncePerTick("a")
    public void tick() {}
  }

  @Test
  void aTickWithoutASchedule() {
    assertRefused(Unscheduled.class, "@Scheduled");
  }

  static class ShortLease {
    @Locked(name = "a", lease = "5ms")
    public void settle() {}
  }

  @Test
  void aLeaseThatIsTooShort() {
    assertRefused(ShortLease.class, "lease is 5ms");
  }

  @Configuration(proxyBeanMethods = false)
  static class SecondNode {
    @Bean
    Pawl second() {
      return Pawl.connect("memory:");
    }
  }

  @Test
  void twoNodes() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(App.class, SecondNode.class);
      assertThatThrownBy(context::refresh)
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("there are pawl, second")
          .hasMessageContaining("@Primary");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnablePawl
  static class NoNode {}

  @Test
  void noNode() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(NoNode.class);
      assertThatThrownBy(context::refresh).hasMessageContaining("and there is none");
    }
  }
}
