package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;

/**
 * Publishes what happens to locks of this node: an {@link EventListener} with a parameter of a type
 * of {@code LockEvent} is told, on a thread for callbacks.
 */
final class PawlEvents implements SmartInitializingSingleton, DisposableBean {

  private final Pawl pawl;
  private final ApplicationEventPublisher publisher;
  private volatile @Nullable Runnable end;

  PawlEvents(Pawl pawl, ApplicationEventPublisher publisher) {
    this.pawl = pawl;
    this.publisher = publisher;
  }

  @Override
  public void afterSingletonsInstantiated() {
    end = pawl.listen(publisher::publishEvent);
  }

  @Override
  public void destroy() {
    Runnable ending = end;
    if (ending != null) {
      ending.run();
    }
  }
}
