package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockEvent;
import dev.pawl.Pawl;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** Contexts that are not the plain one: lazy, below another, many after each other. */
class ContextsTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PawlAutoConfiguration.class))
          .withPropertyValues("pawl.store=memory:");

  static class Listener {
    final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @EventListener
    void on(LockEvent.Acquired event) {
      heard.add(event.name());
    }
  }

  private static void take(Pawl pawl, String name) {
    pawl.lock(name).lock();
    pawl.lock(name).unlock();
  }

  private static String next(Listener listener) throws InterruptedException {
    return listener.heard.poll(1, TimeUnit.MINUTES);
  }

  @Test
  void eventsComeWhereBeansAreLazy() {
    runner
        .withInitializer(
            context ->
                context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor()))
        .withBean(Listener.class)
        .run(
            context -> {
              take(context.getBean(Pawl.class), "a");
              assertThat(next(context.getBean(Listener.class))).isEqualTo("a");
            });
  }

  @Test
  void aChildUsesTheNodeOfItsParentAndEachHearsOfAnEventOnce() {
    runner
        .withBean(Listener.class)
        .run(
            parent -> {
              Listener above = parent.getBean(Listener.class);
              runner
                  .withParent(parent)
                  .withBean("below", Listener.class)
                  .run(
                      child -> {
                        Pawl pawl = child.getBean(Pawl.class);
                        assertThat(pawl).isSameAs(parent.getBean(Pawl.class));
                        take(pawl, "a");
                        take(pawl, "b");
                        Listener below = child.getBean("below", Listener.class);
                        assertThat(next(below)).isEqualTo("a");
                        assertThat(next(below)).isEqualTo("b");
                        assertThat(next(above)).isEqualTo("a");
                        assertThat(next(above)).isEqualTo("b");
                      });
              // The child has closed; the node is that of its parent.
              take(parent.getBean(Pawl.class), "c");
              assertThat(next(above)).isEqualTo("c");
            });
  }
}
