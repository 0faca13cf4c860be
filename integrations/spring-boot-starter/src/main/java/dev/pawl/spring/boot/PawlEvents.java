package dev.pawl.spring.boot;

import dev.pawl.LockEvent;
import dev.pawl.Pawl;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Publishes what happens to locks of this node: an {@link EventListener} with a parameter of a type
 * of {@code LockEvent} is told, on a thread for callbacks.
 */
final class PawlEvents implements SmartInitializingSingleton, DisposableBean {

  private final Pawl pawl;
  private final ApplicationContext context;
  private volatile @Nullable Runnable end;

  PawlEvents(Pawl pawl, ApplicationContext context) {
    this.pawl = pawl;
    this.context = context;
  }

  @Override
  public void afterSingletonsInstantiated() {
    end = pawl.listen(isPublishedAbove() ? this::publishHere : context::publishEvent);
  }

  /** Tells whether a parent publishes the events of the same node. */
  private boolean isPublishedAbove() {
    ApplicationContext parent = context.getParent();
    PawlEvents above =
        parent == null ? null : parent.getBeanProvider(PawlEvents.class).getIfAvailable();
    return above != null && above.pawl == pawl;
  }

  /** What a context publishes its parents publish again. */
  private void publishHere(LockEvent event) {
    context
        .getBean(
            AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
            ApplicationEventMulticaster.class)
        .multicastEvent(new PayloadApplicationEvent<>(context, event));
  }

  @Override
  public void destroy() {
    Runnable ending = end;
    if (ending != null) {
      ending.run();
    }
  }
}
