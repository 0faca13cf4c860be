package dev.pawl.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the threads of a node have of the thread that happens to need them first. */
class ThreadsTest {

  private static final InheritableThreadLocal<String> REQUEST = new InheritableThreadLocal<>();

  private record Seen(ClassLoader loader, String request) {}

  private static Platform builtBy(ClassLoader loader) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      return Threads.platform("node", null);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static Seen seenIn(Executor executor) throws Exception {
    CompletableFuture<Seen> seen = new CompletableFuture<>();
    executor.execute(
        () ->
            seen.complete(new Seen(Thread.currentThread().getContextClassLoader(), REQUEST.get())));
    return seen.get(3, TimeUnit.MINUTES);
  }

  @Test
  void theyHaveTheClassLoaderOfWhoBuiltTheNodeAndNoValuesOfACaller() throws Exception {
    ClassLoader application = new ClassLoader() {};
    Platform platform = builtBy(application);
    REQUEST.set("of somebody");
    try {
      for (Executor each :
          List.of(
              platform.io(),
              platform.renewals(),
              platform.search(),
              platform.callbacks(),
              platform.losses(),
              platform.bodies())) {
        assertThat(seenIn(each)).isEqualTo(new Seen(application, null));
      }
    } finally {
      REQUEST.remove();
      platform.shutdown().run();
    }
  }
}
