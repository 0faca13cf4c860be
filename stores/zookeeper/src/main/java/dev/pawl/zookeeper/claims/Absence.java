package dev.pawl.zookeeper.claims;

import dev.pawl.zookeeper.session.Errors;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException;

/** That a node is not there, as a value. */
final class Absence {

  private Absence() {}

  /** Returns the answer, or nothing if there is no such node. */
  static <T> CompletableFuture<Optional<T>> of(CompletableFuture<T> answer) {
    return answer.handle(
        (value, error) -> {
          if (error == null) {
            return Optional.of(value);
          }
          if (Errors.is(error, KeeperException.Code.NONODE)) {
            return Optional.empty();
          }
          throw new CompletionException(Errors.unwrap(error));
        });
  }
}
