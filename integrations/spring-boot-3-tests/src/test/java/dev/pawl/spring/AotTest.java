package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A context starts from the sources that Spring generates ahead of time. */
class AotTest {

  public static class Orders {
    public static final CountDownLatch TICKS = new CountDownLatch(1);

    @Locked(name = "'order:' + #id", ifBusy = Locked.IfBusy.THROW, fallback = "instead")
    public String ship(int id, Lease lease) {
      return lease.name();
    }

    public String instead(int id) {
      return "busy";
    }

    @Scheduled(fixedRate = 200)
    @OncePerTick("aot")
    public void tick() {
      if (CurrentRun.get().token() > 0) {
        TICKS.countDown();
      }
    }
  }

  // Not all of them: the whole of an application is in examples/spring-boot-scheduled.
  @ImportAutoConfiguration(PawlAutoConfiguration.class)
  @EnableScheduling
  public static class App {
    @Bean
    public Orders orders() {
      return new Orders();
    }
  }

  private static final Map<String, Object> PROPERTIES = Map.of("pawl.store", "memory:");

  @Test
  @CompileWithForkedClassLoader
  void aContextStartsFromItsGeneratedSources() {
    AnnotationConfigApplicationContext described = new AnnotationConfigApplicationContext();
    described
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", PROPERTIES));
    described.register(App.class);
    TestGenerationContext generation = new TestGenerationContext();
    new ApplicationContextAotGenerator().processAheadOfTime(described, generation);
    generation.writeGeneratedContent();
    assertHints(generation.getRuntimeHints());

    TestCompiler.forSystem()
        .with(generation)
        .compile(
            compiled -> {
              @SuppressWarnings("unchecked")
              ApplicationContextInitializer<GenericApplicationContext> initializer =
                  compiled.getInstance(ApplicationContextInitializer.class);
              try (GenericApplicationContext context = new GenericApplicationContext()) {
                context
                    .getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("test", PROPERTIES));
                initializer.initialize(context);
                context.refresh();
                Orders orders = context.getBean(Orders.class);
                assertThat(orders.ship(7, null)).isEqualTo("order:7");
                assertThat(Orders.TICKS.await(1, TimeUnit.MINUTES)).isTrue();
                assertThat(context.getBean(Pawl.class).inspector().runs("aot", 1)).isNotNull();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
  }

  private static void assertHints(RuntimeHints hints) {
    assertThat(
            RuntimeHintsPredicates.resource()
                .forResource("META-INF/services/dev.pawl.Pawl$Factory"))
        .accepts(hints);
    assertThat(hints.reflection().getTypeHint(Orders.class).methods())
        .anyMatch(method -> method.getName().equals("instead"));
  }
}
