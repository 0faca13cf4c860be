package dev.pawl.spring.boot;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends something in a phase of the shutdown, if the context closes. One that is merely stopped, or
 * paused between tests, is started again.
 */
abstract class ContextEnd
    implements SmartLifecycle, ApplicationContextAware, ApplicationListener<ContextClosedEvent> {

  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile @Nullable ApplicationContext context;
  private volatile boolean running;

  /** Ends it for good. */
  abstract void end();

  @Override
  public void setApplicationContext(ApplicationContext applicationContext) {
    context = applicationContext;
  }

  /** Its children tell a context, too, that they close. */
  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    if (event.getApplicationContext() == context) {
      closing.set(true);
    }
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    if (closing.get()) {
      end();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
