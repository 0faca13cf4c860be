package dev.pawl.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.map.EntryProcessor;
import dev.pawl.hazelcast.member.Entries;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the cluster: each ends in time, with an answer or with what its failure means; and what
 * is known of changes among the members.
 */
final class HazelcastCalls implements AutoCloseable {

  private static final AtomicInteger THREADS = new AtomicInteger();

  private final HazelcastInstance instance;
  private final String where;
  private final CallTimeouts timeouts;
  private final AtomicLong changes = new AtomicLong();
  private final ThreadPoolExecutor blocking;
  private final Optional<ThreadPoolExecutor> answers;
  private final UUID membership;
  private final UUID lifecycle;
  private volatile boolean closed;

  HazelcastCalls(HazelcastInstance instance, String where, Duration timeout, Runnable onChange) {
    this.instance = instance;
    this.where = where;
    this.timeouts = new CallTimeouts(timeout);
    this.blocking = threads();
    // A client's threads may go on with an answer: a hop would cost as much as the network. Those
    // of a member may not call it again.
    this.answers =
        instance.getLocalEndpoint() instanceof Member ? Optional.of(threads()) : Optional.empty();
    this.membership = instance.getCluster().addMembershipListener(new Members(onChange));
    this.lifecycle =
        instance
            .getLifecycleService()
            .addLifecycleListener(
                event -> {
                  changes.incrementAndGet();
                  if (event.getState() == LifecycleEvent.LifecycleState.CLIENT_CONNECTED
                      || event.getState() == LifecycleEvent.LifecycleState.MERGED) {
                    onChange.run();
                  }
                });
  }

  private static ThreadPoolExecutor threads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            2, 2, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), HazelcastCalls::thread);
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "pawl-hazelcast-" + THREADS.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  private final class Members implements MembershipListener {
    private final Runnable onChange;

    Members(Runnable onChange) {
      this.onChange = onChange;
    }

    @Override
    public void memberAdded(MembershipEvent event) {
      changes.incrementAndGet();
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
      changes.incrementAndGet();
      onChange.run();
    }
  }

  /** Runs something on the entry of a key, and reads its answer. */
  <T> CompletionStage<T> submit(
      Entries entries,
      String key,
      EntryProcessor<String, byte[], byte[]> turn,
      Function<byte[], T> read) {
    return send(() -> entries.submit(key, turn), read);
  }

  /** Sends something that is answered by itself. */
  <T> CompletionStage<T> send(Supplier<CompletionStage<T>> call) {
    return send(call, Function.identity());
  }

  /** Sends something, and reads its answer. */
  <V, T> CompletionStage<T> send(Supplier<CompletionStage<V>> call, Function<V, T> read) {
    Answer<V, T> answer = new Answer<>(read, changes.get());
    if (isEnded()) {
      answer.completeExceptionally(ended());
      return answer;
    }
    try {
      var unused = call.get().whenCompleteAsync(answer::end, this::goOn);
    } catch (RuntimeException e) {
      answer.fail(e);
    }
    timeouts.add(answer, answer::fail);
    return answer;
  }

  /** Returns what people call the cluster. */
  String where() {
    return where;
  }

  /** Tells whether nothing can be sent any more. */
  private boolean isEnded() {
    return closed || !instance.getLifecycleService().isRunning();
  }

  private RuntimeException ended() {
    return closed ? HazelcastErrors.closed(where) : HazelcastErrors.shutDown(where);
  }

  /** What becomes of one call. */
  private final class Answer<V, T> extends CompletableFuture<T> {
    private final Function<V, T> read;
    private final long before;

    Answer(Function<V, T> read, long before) {
      this.read = read;
      this.before = before;
    }

    @SuppressWarnings("NullAway") // Without an error it is the value, which may be null for some.
    void end(@Nullable V value, @Nullable Throwable error) {
      if (error != null) {
        fail(error);
        return;
      }
      try {
        complete(read.apply(value));
      } catch (RuntimeException e) {
        fail(e);
      }
    }

    void fail(Throwable error) {
      completeExceptionally(failure(error, before));
    }
  }

  private void goOn(Runnable work) {
    if (answers.isPresent() && !closed) {
      answers.get().execute(work);
    } else {
      work.run();
    }
  }

  /** Runs something that blocks, on a thread for the purpose. */
  <T> CompletionStage<T> run(Callable<T> call) {
    if (isEnded()) {
      return CompletableFuture.failedFuture(ended());
    }
    long before = changes.get();
    CompletableFuture<T> answer = new CompletableFuture<>();
    blocking.execute(
        () -> {
          try {
            answer.complete(call.call());
          } catch (Throwable e) {
            answer.completeExceptionally(failure(e, before));
          }
        });
    return answer;
  }

  private RuntimeException failure(Throwable error, long before) {
    return HazelcastErrors.of(where, error, changes.get() != before);
  }

  @Override
  public void close() {
    closed = true;
    blocking.shutdown();
    // Answers that are under way still come; its threads end by themselves.
    try {
      instance.getCluster().removeMembershipListener(membership);
      instance.getLifecycleService().removeLifecycleListener(lifecycle);
    } catch (RuntimeException e) {
      // The instance is shut down, and its listeners with it.
    }
  }
}
