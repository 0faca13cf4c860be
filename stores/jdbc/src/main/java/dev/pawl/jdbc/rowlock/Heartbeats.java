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
   * How long the last of them is waited for at the most, before it is in doubt: no longer than a
   * node leaves a call without an answer.
   */
  static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  /** They are waited for no longer than such a part of the shortest lease. */
  private static final int LEASE_PART = 4;

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
    long patience = patience(commands);
    Round round = new Round(commands, renewal);
    begin(round, 1);
    long moment = Math.min(MOMENT_NANOS, patience);
    for (int begun = 1; !round.await(moment) && round.left() > 0; begun *= 2) {
      begin(round, Math.min(begun, round.left()));
    }
    round.await(patience);
    return round.answers(doubt);
  }

  /** What is answered belongs to leases that go on, and may be short. */
  private static long patience(List<Command.Renew> commands) {
    long shortest =
        commands.stream()
            .mapToLong(Command.Renew::leaseMicros)
            .filter(micros -> micros > 1)
            .min()
            .orElse(Long.MAX_VALUE / 1_000);
    return Math.min(PATIENCE_NANOS, TimeUnit.MICROSECONDS.toNanos(shortest) / LEASE_PART);
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

    /** One that failed is in doubt as well, unless all did: it is to cost the others nothing. */
    List<RenewReply> answers(Function<Command.Renew, RenewReply> doubt) {
      if (!answers.isEmpty()
          && answers.stream().allMatch(each -> each.isCompletedExceptionally())) {
        throw failure(answers.get(0));
      }
      List<RenewReply> replies = new ArrayList<>(commands.size());
      for (int i = 0; i < commands.size(); i++) {
        CompletableFuture<RenewReply> answer = answers.get(i);
        boolean told = answer.isDone() && !answer.isCompletedExceptionally();
        replies.add(told ? answer.join() : doubt.apply(commands.get(i)));
      }
      return replies;
    }

    private static RuntimeException failure(CompletableFuture<RenewReply> failed) {
      try {
        failed.join();
        throw new IllegalStateException("it has not failed");
      } catch (CompletionException e) {
        return e.getCause() instanceof RuntimeException failure ? failure : e;
      }
    }
  }
}
