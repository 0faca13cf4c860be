package dev.pawl.spring.boot;

import dev.pawl.console.ConsoleServlet;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.SmartLifecycle;

/**
 * Ends what the open pages of the console are told before the server shuts down gracefully, which
 * would otherwise wait for them as for any request. A context that is merely paused goes on.
 */
final class ConsoleShutdown implements SmartLifecycle {

  private final ObjectProvider<ServletRegistrationBean<?>> servlets;
  private volatile List<ConsoleServlet> consoles = List.of();
  private volatile boolean running;

  ConsoleShutdown(ObjectProvider<ServletRegistrationBean<?>> servlets) {
    this.servlets = servlets;
  }

  @Override
  public void start() {
    consoles =
        servlets.stream()
            .map(registration -> registration.getServlet())
            .filter(ConsoleServlet.class::isInstance)
            .map(ConsoleServlet.class::cast)
            .toList();
    consoles.forEach(ConsoleServlet::resume);
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    consoles.forEach(ConsoleServlet::stop);
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** The last phase to start and the first to stop: before the server. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
