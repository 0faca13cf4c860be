package dev.pawl.console.api;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The pages that are open, and the threads that write to them: a slow one keeps only its own. */
public final class EventStreams implements AutoCloseable {

  /** More pages than a team opens; each may have a thread for as long as its browser is slow. */
  private static final int MOST = 200;

  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  private final Api api;
  private final Set<EventStream> open = ConcurrentHashMap.newKeySet();
  private final Semaphore places = new Semaphore(MOST);
  private volatile boolean stopped;
  private final ExecutorService writers =
      Executors.newCachedThreadPool(task -> daemon(task, "pawl-console-writer"));
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "pawl-console-heartbeat"));

  private final AtomicBoolean beating = new AtomicBoolean();

  /** Has no thread until a page is open: a server that never loads a servlet never ends it. */
  public EventStreams(Api api) {
    this.api = api;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // It ends with the executor.
  private void beat() {
    if (beating.compareAndSet(false, true)) {
      clock.scheduleWithFixedDelay(
          () -> open.forEach(EventStream::beat),
          HEARTBEAT.toMillis(),
          HEARTBEAT.toMillis(),
          TimeUnit.MILLISECONDS);
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Tells a page of changes from now on, until it goes. */
  public void begin(Request request, HttpServletResponse response) throws IOException {
    request.requireUser();
    View view = api.view(request.http());
    if (stopped) {
      throw new Problem(503, "stopped", "the application shuts down, or is paused");
    }
    if (!places.tryAcquire()) {
      throw new Problem(503, "too-many", "more than " + MOST + " pages are open; close some");
    }
    boolean begun = false;
    try {
      beat();
      response.setContentType("text/event-stream");
      response.setCharacterEncoding("UTF-8");
      // A proxy that collects a response before it hands it on would never hand on this one.
      response.setHeader("X-Accel-Buffering", "no");
      response.flushBuffer();
      AsyncContext context = request.http().startAsync();
      context.setTimeout(0);
      EventStream stream =
          new EventStream(view, api::standing, api::now, request, context, writers, this::ended);
      open.add(stream);
      begun = true;
      try {
        stream.start();
      } catch (Throwable e) { // Nobody would end it.
        stream.end();
        throw e;
      }
      if (stopped) {
        stream.end(); // It began while the others were ended.
      }
    } finally {
      if (!begun) {
        places.release();
      }
    }
  }

  private void ended(EventStream stream) {
    if (open.remove(stream)) {
      places.release();
    }
  }

  /** Ends those that are open, and takes no more until {@link #resume}. */
  public void stop() {
    stopped = true;
    open.forEach(EventStream::end);
  }

  /** Takes pages again. */
  public void resume() {
    stopped = false;
  }

  /** Tells whether as many pages are open as may be. */
  public boolean isFull() {
    return places.availablePermits() == 0;
  }

  /** Returns how many pages are open. */
  public int open() {
    return open.size();
  }

  @Override
  public void close() {
    clock.shutdownNow();
    stop();
    writers.shutdown();
  }
}
