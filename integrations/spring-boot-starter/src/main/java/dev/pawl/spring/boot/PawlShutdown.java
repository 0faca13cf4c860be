package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the node when the context closes: after what works under locks, and before the clients it
 * stands on, some of which end with the lifecycle and not as beans.
 */
final class PawlShutdown implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

  /** Just before phase 0, in which clients end. */
  static final int PHASE = 1;

  private final Pawl pawl;
  private final Foundation foundation;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile boolean running;

  PawlShutdown(Pawl pawl, Foundation foundation) {
    this.pawl = pawl;
    this.foundation = foundation;
  }

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    closing.set(true);
  }

  @Override
  public void start() {
    running = true;
  }

  /** A context that is merely stopped, or paused between tests, is started again. */
  @Override
  public void stop() {
    running = false;
    if (closing.get()) {
      pawl.close();
      foundation.close();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
