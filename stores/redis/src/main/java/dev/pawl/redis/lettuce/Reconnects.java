package dev.pawl.redis.lettuce;

import io.lettuce.core.RedisURI;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Why servers could not be connected to again when it was last tried. Lettuce refuses a command
 * without a connection in the same words whatever the reason, which it tells on its event bus only.
 */
final class Reconnects {

  private final Map<String, Throwable> failures = new ConcurrentHashMap<>();

  /** Returns an event bus whose events are heard here as well. */
  EventBus beside(EventBus given) {
    return (EventBus)
        Proxy.newProxyInstance(
            EventBus.class.getClassLoader(),
            new Class<?>[] {EventBus.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("publish") && arguments != null) {
                onEvent(arguments[0]);
              }
              return asked(given, method, arguments);
            });
  }

  static @Nullable Object asked(Object given, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(given, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private void onEvent(Object event) {
    if (event instanceof ReconnectFailedEvent failed) {
      Throwable why = failed.getCause();
      if (why != null) {
        failures.put(key(failed.remoteAddress()), why);
      }
    } else if (event instanceof ConnectionActivatedEvent connected) {
      failures.remove(key(connected.remoteAddress()));
    }
  }

  private static String key(SocketAddress address) {
    return address instanceof InetSocketAddress known
        ? known.getHostString() + ":" + known.getPort()
        : "" + address;
  }

  /** Returns why there is no connection to one server, if it was tried and that failed. */
  Optional<Throwable> failure(RedisURI uri) {
    return Optional.ofNullable(failures.get(uri.getHost() + ":" + uri.getPort()));
  }

  /** Returns why there is no connection to one or the other, if there is such a one. */
  Optional<Throwable> failure() {
    return failures.values().stream().findFirst();
  }
}
