package dev.pawl.cli.demo;

import dev.pawl.Job;
import dev.pawl.LeaseLostException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StaleTokenException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.cli.shell.Failures;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The application of the story on one server: it reminds every customer at every tick. */
final class ReminderNode {

  /** Who takes the messages. */
  private interface Provider {
    void send(Message message) throws SQLException;
  }

  private static final int RETRY_MILLIS = 300;

  private final int number;
  private final Pawl pawl;
  private final Outbox outbox;
  private final Consumer<Report> reports;
  private final ExecutorService cron =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "cron");
            thread.setDaemon(true);
            return thread;
          });

  ReminderNode(int number, Pawl pawl, Outbox outbox, Consumer<Report> reports) {
    this.number = number;
    this.pawl = pawl;
    this.outbox = outbox;
    this.reports = reports;
  }

  /** Runs the job for a tick, and reports. */
  void remind(Order.Remind order) {
    if (!order.locked()) {
      cron.execute(() -> remindWithoutLock(order));
      return;
    }
    remindUnderLock(order);
  }

  private void remindUnderLock(Order.Remind order) {
    var unused =
        pawl.job(Story.NAME, order.act().options())
            .runOrStandBy(
                Instant.ofEpochMilli(order.tick()),
                run -> {
                  return remind(order, run.token());
                })
            .whenComplete((outcome, failure) -> report(order, outcome, failure));
  }

  private long remind(Order.Remind order, long token) throws SQLException {
    report(Report.Kind.BEGAN, Long.toString(token));
    if (order.act().isResumed()) {
      send(order, outbox.unsent(order.tick(), token), message -> sendFenced(message, token));
    } else {
      send(order, Act.CUSTOMERS, outbox::send);
    }
    return order.tick();
  }

  private void remindWithoutLock(Order.Remind order) {
    report(Report.Kind.BEGAN, "");
    try {
      send(order, Act.CUSTOMERS, outbox::send);
      report(Report.Kind.DONE, "");
    } catch (SQLException e) {
      fail(e);
    }
  }

  private void send(Order.Remind order, List<String> customers, Provider provider)
      throws SQLException {
    for (String customer : customers) {
      report(Report.Kind.SENDING, customer);
      awaitTheNetwork(order.act().sending());
      provider.send(new Message(order.act(), order.tick(), customer, number));
      report(Report.Kind.SENT, customer);
    }
  }

  private void sendFenced(Message message, long token) throws SQLException {
    try {
      outbox.send(message, token);
    } catch (StaleTokenException e) {
      report(Report.Kind.REFUSED, message.customer());
      throw e;
    }
  }

  /** Waits as one does in a socket: an interrupt does not end it, and nobody asks the lease. */
  private static void awaitTheNetwork(Duration sending) {
    long end = System.nanoTime() + sending.toNanos();
    boolean interrupted = false;
    while (System.nanoTime() < end) {
      interrupted |= Thread.interrupted();
      LockSupport.parkNanos(end - System.nanoTime());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void report(
      Order.Remind order, Job.@Nullable Outcome<Long> outcome, @Nullable Throwable failure) {
    if (order.act().tale() == Act.Tale.STORES && isStoreAway(outcome, failure)) {
      // As a scheduler does it: later again. Whoever did it meanwhile has done it.
      CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS)
          .execute(() -> remindUnderLock(order));
    } else if (failure != null) {
      fail(failure);
    } else if (outcome instanceof Job.Outcome.Ran<Long>) {
      report(Report.Kind.DONE, "");
    } else if (outcome instanceof Job.Outcome.Failed<Long> failed) {
      if (failed.error() instanceof LeaseLostException
          || failed.error() instanceof StaleTokenException) {
        report(Report.Kind.LOST, "");
      } else {
        fail(failed.error());
      }
    } else {
      report(Report.Kind.DISMISSED, "");
    }
  }

  /** Tells whether the store was away, so that the tick may not be done. */
  private static boolean isStoreAway(
      Job.@Nullable Outcome<Long> outcome, @Nullable Throwable failure) {
    Throwable error = outcome instanceof Job.Outcome.Failed<Long> failed ? failed.error() : failure;
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return cause instanceof StoreUnavailableException
        || cause instanceof OutcomeUnknownException
        || cause instanceof LeaseLostException
        || cause instanceof StaleTokenException;
  }

  private void fail(Throwable failure) {
    report(Report.Kind.FAILED, Failures.code(failure) + " " + failure.getMessage());
  }

  private void report(Report.Kind kind, String detail) {
    reports.accept(new Report(kind, detail));
  }
}
