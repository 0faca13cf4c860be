package dev.pawl.engine;

import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Futures;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.Engine;
import dev.pawl.spi.LockStore;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How an operator asks the store, and how it is written down what he has done. */
final class OperatorLink {

  private static final Logger LOG = LoggerFactory.getLogger(OperatorLink.class);

  private final Engine engine;

  OperatorLink(Engine engine) {
    this.engine = engine;
  }

  /** Asks, and waits for the answer. */
  <T> T ask(String what, Function<LockStore, CompletionStage<T>> question) {
    if (engine.isClosed()) {
      throw engine.closedException();
    }
    CompletableFuture<T> answer = engine.link().call(true, question).toCompletableFuture();
    if (!Futures.awaitDone(answer, engine.link().pace().responseNanos())) {
      throw new OutcomeUnknownException(
          "no answer to " + what + " from " + engine.store().describe(), null);
    }
    if (answer.isCompletedExceptionally()) {
      throw Failures.unexpected(what, Futures.failureOf(answer));
    }
    return answer.join();
  }

  /** Notes what was done; it is done, and that is what was asked, even if this fails. */
  void note(JournalEntry.Kind kind, String name, long token, Map<String, String> details) {
    try {
      ask(
          "journal",
          store ->
              store
                  .journal()
                  .append(kind, name, token, engine.label(), details)
                  .thenApply(done -> true));
    } catch (RuntimeException e) {
      LOG.warn(
          "it was done, but could not be written to the journal: {} of {}, token {}, {}: {}",
          kind,
          Names.quote(name),
          token,
          details,
          e.getMessage());
    }
  }

  static void checkWhoAndWhy(String by, String reason) {
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(reason, "reason");
    if (by.isBlank() || reason.isBlank()) {
      throw new IllegalArgumentException(
          "by is \"" + by + "\" and reason is \"" + reason + "\"; say who decided it, and why");
    }
  }

  /** Returns the name of a job in the store. */
  static String nameOf(String job) {
    return Names.check(Job.PREFIX + Names.check(Objects.requireNonNull(job, "job")));
  }
}
