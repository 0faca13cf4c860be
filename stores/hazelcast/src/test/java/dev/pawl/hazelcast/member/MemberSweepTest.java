package dev.pawl.hazelcast.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleService;
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemberSweepTest {

  private final CountDownLatch sweeps = new CountDownLatch(2);
  private final ConcurrentMap<String, Object> context = new ConcurrentHashMap<>();

  /** Else what is left would stay until somebody writes. */
  @Test
  void aSweepThatEndsInAnErrorIsNotTheLast() throws Exception {
    LifecycleService lifecycle =
        proxy(
            LifecycleService.class, method -> method.equals("isRunning") && sweeps.getCount() > 0);
    HazelcastInstance member =
        proxy(
            HazelcastInstance.class,
            method ->
                switch (method) {
                  case "getUserContext" -> context;
                  case "getLifecycleService" -> lifecycle;
                  default -> {
                    sweeps.countDown();
                    throw new NoClassDefFoundError("of another version");
                  }
                });

    MemberSweep.of(member).begin();

    assertThat(sweeps.await(1, TimeUnit.MINUTES)).isTrue();
  }

  private interface Call {
    Object of(String method);
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> call.of(method.getName())));
  }
}
