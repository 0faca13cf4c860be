package dev.pawl.jdbc.rowlock;

import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Renewals of row locks, each on a connection of its own: one that is silent delays none of the
 * others (I9). One thread makes them, one after the other; while they are not all answered there
 * are twice as many threads every moment, until each renewal has begun.
 */
final class Heartbeats implements AutoCloseable {

  private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * How long the last of them is waited for, before it is in doubt: no longer than a node leaves a
   * call without an answer.
   */
  static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> {
            Thread thread = new Thread(task, "pawl-jdbc-heartbeat");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Makes renewals, and answers those that are not answered in time as in doubt.
   *
   * @throws java.util.concurrent.RejectedExecutionException if this is closed
   */
  List<RenewReply> make(
      List<Command.Renew> commands,
      Function<Command.Renew, RenewReply> renewal,
      Function<Command.Renew, RenewReply> doubt) {
    Round round = new Round(commands, renewal);
    begin(round, 1);
    for (int begun = 1; !round.await(MOMENT_NANOS) && round.left() > 0; begun *= 2) {
      begin(round, Math.min(begun, round.left()));
    }
    round.await(PATIENCE_NANOS);
    return round.answers(doubt);
  }

  private void begin(Round round, int howMany) {
    for (int i = 0; i < howMany; i++) {
      threads.execute(round);
    }
  }

  @Override
  public void close() {
    threads.shutdown(); // Without an interrupt: see Upkeep.
  }

  /** The renewals of one call; whoever runs it makes the next of them, until none is left. */
  private static final class Round implements Runnable {
    private final List<Command.Renew> commands;
    private final Function<Command.Renew, RenewReply> renewal;
    private final List<CompletableFuture<RenewReply>> answers;
    private final CompletableFuture<Void> all;
    private final AtomicInteger next = new AtomicInteger();

    Round(List<Command.Renew> commands, Function<Command.Renew, RenewReply> renewal) {
      this.commands = commands;
      this.renewal = renewal;
      this.answers = commands.stream().map(command -> new CompletableFuture<RenewReply>()).toList();
      this.all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    }

    @Override
    public void run() {
      for (int i = next.getAndIncrement(); i < commands.size(); i = next.getAndIncrement()) {
        try {
          answers.get(i).complete(renewal.apply(commands.get(i)));
        } catch (Throwable e) {
          answers.get(i).completeExceptionally(e);
        }
      }
    }

    /** How many have not begun. */
    int left() {
      return Math.max(0, commands.size() - next.get());
    }

    /** Waits until all have an answer; false if that takes longer. An interrupt ends no wait. */
    boolean await(long nanos) {
      long end = System.nanoTime() + nanos;
      boolean interrupted = false;
      try {
        while (true) {
          try {
            all.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            return true;
          } catch (ExecutionException e) {
            return true;
          } catch (TimeoutException e) {
            return false;
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    List<RenewReply> answers(Function<Command.Renew, RenewReply> doubt) {
      List<RenewReply> replies = new ArrayList<>(commands.size());
      for (int i = 0; i < commands.size(); i++) {
        CompletableFuture<RenewReply> answer = answers.get(i);
        replies.add(answer.isDone() ? answered(answer) : doubt.apply(commands.get(i)));
      }
      return replies;
    }

    private static RenewReply answered(CompletableFuture<RenewReply> answer) {
      try {
        return answer.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof RuntimeException failure) {
          throw failure;
        }
        throw e;
      }
    }
  }
}
