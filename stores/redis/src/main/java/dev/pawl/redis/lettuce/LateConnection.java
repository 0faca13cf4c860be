package dev.pawl.redis.lettuce;

import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection of Lettuce that is opened when it is first wanted, and again if that failed. Nobody
 * waits for it here: whoever wants it may be the thread that would have to open it.
 */
final class LateConnection<C extends StatefulConnection<?, ?>> {

  private final Supplier<CompletionStage<C>> opening;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<C> connection;

  LateConnection(Supplier<CompletionStage<C>> opening) {
    this.opening = opening;
  }

  CompletionStage<C> get() {
    lock.lock();
    try {
      CompletableFuture<C> current = connection;
      if (current == null || current.isCompletedExceptionally()) {
        current = opening.get().toCompletableFuture();
        connection = current;
      }
      return current;
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      if (connection != null) {
        var unused = connection.thenAccept(LettuceLink::closeLater);
      }
    } finally {
      lock.unlock();
    }
  }
}
