package dev.pawl.redis.redlock;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The answers of all servers to one question, as they come in. */
final class Votes<V> {

  private final ReentrantLock lock = new ReentrantLock();
  private final int servers;
  private final List<V> answers = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();

  private Votes(int servers) {
    this.servers = servers;
  }

  /**
   * Counts the answers until a decision can be made, which is once.
   *
   * @param decide returns null while it cannot tell yet; when all servers have answered or failed,
   *     it must tell, or throw
   */
  static <V, R> CompletionStage<R> count(
      List<CompletionStage<V>> asked, Function<Votes<V>, @Nullable R> decide) {
    Votes<V> votes = new Votes<>(asked.size());
    CompletableFuture<R> decision = new CompletableFuture<>();
    for (CompletionStage<V> one : asked) {
      var unused = one.whenComplete((answer, error) -> votes.add(answer, error, decide, decision));
    }
    return decision;
  }

  private <R> void add(
      @Nullable V answer,
      @Nullable Throwable error,
      Function<Votes<V>, @Nullable R> decide,
      CompletableFuture<R> decision) {
    R decided = null;
    RuntimeException undecidable = null;
    lock.lock();
    try {
      if (error == null && answer != null) {
        answers.add(answer);
      } else {
        failures.add(
            error == null ? new IllegalStateException("no answer") : RedisErrors.unwrap(error));
      }
      if (!decision.isDone()) {
        decided = decide.apply(this);
      }
    } catch (RuntimeException e) {
      undecidable = e;
    } finally {
      lock.unlock();
    }
    // Outside the lock: whoever waits for the decision goes on in here.
    if (decided != null) {
      decision.complete(decided);
    } else if (undecidable != null) {
      decision.completeExceptionally(undecidable);
    }
  }

  int quorum() {
    return servers / 2 + 1;
  }

  /** How many have answered so. */
  int count(Predicate<V> so) {
    return (int) answers.stream().filter(so).count();
  }

  List<V> answers() {
    return answers;
  }

  /** How many have answered at all. */
  int answered() {
    return answers.size();
  }

  /** How many may still answer. */
  int outstanding() {
    return servers - answers.size() - failures.size();
  }

  /** Tells whether a quorum may still come to answer so. */
  boolean isPossible(Predicate<V> so) {
    return count(so) + outstanding() >= quorum();
  }

  /**
   * Returns the exception for a question that too few have answered, or too few alike (I11).
   *
   * @param effect whether one answer may have had an effect
   */
  PawlException tooFew(String where, boolean effect) {
    String message =
        where
            + ": "
            + answers.size()
            + " of "
            + servers
            + " servers answered, "
            + (answers.size() < quorum() ? quorum() + " are needed" : "and not alike");
    PawlException bug = null;
    boolean unknown = effect && !answers.isEmpty();
    for (Throwable failure : failures) {
      unknown |= !(failure instanceof StoreUnavailableException);
      if (failure instanceof PawlException known
          && !(failure instanceof StoreUnavailableException)
          && !(failure instanceof OutcomeUnknownException)) {
        bug = known;
      }
    }
    Throwable cause = failures.isEmpty() ? null : failures.get(0);
    return bug != null
        ? bug
        : unknown
            ? new OutcomeUnknownException(message, cause)
            : new StoreUnavailableException(message, cause);
  }
}
