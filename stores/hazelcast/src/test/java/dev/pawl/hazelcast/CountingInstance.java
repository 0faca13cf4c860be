package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import com.hazelcast.map.IMap;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what is sent through an instance, by the method of the map or the executor; or loses it.
 */
final class CountingInstance {

  private final HazelcastInstance real;
  private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();

  /** Whether what is sent to an entry gets lost on its way, and is never answered. */
  volatile boolean losing;

  CountingInstance(HazelcastInstance real) {
    this.real = real;
  }

  HazelcastInstance instance() {
    return proxy(HazelcastInstance.class, real, false);
  }

  long sent() {
    return count("submitToKey") + count("submitToMember");
  }

  long count(String method) {
    return counts.computeIfAbsent(method, key -> new AtomicLong()).get();
  }

  void reset() {
    counts.clear();
  }

  private <T> T proxy(Class<T> type, Object target, boolean counted) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (counted) {
                counts.computeIfAbsent(method.getName(), key -> new AtomicLong()).incrementAndGet();
              }
              if (losing && method.getName().equals("submitToKey")) {
                return new CompletableFuture<>();
              }
              try {
                Object answer = method.invoke(target, arguments);
                return switch (method.getName()) {
                  case "getMap" -> proxy(IMap.class, answer, true);
                  case "getExecutorService" -> proxy(IExecutorService.class, answer, true);
                  default -> answer;
                };
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
