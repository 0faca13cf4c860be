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
import java.util.concurrent.TimeUnit;

/** The pages that are open, and the threads that write to them: a slow one keeps only its own. */
public final class EventStreams implements AutoCloseable {

  /** More pages than a team opens; each may have a thread for as long as its browser is slow. */
  private static final int MOST = 200;

  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  private final Api api;
  private final Set<EventStream> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService writers =
      Executors.newCachedThreadPool(task -> daemon(task, "pawl-console-writer"));
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "pawl-console-heartbeat"));

  /** Makes the threads. */
  @SuppressWarnings("FutureReturnValueIgnored") // It ends with the executor.
  public EventStreams(Api api) {
    this.api = api;
    clock.scheduleWithFixedDelay(
        () -> open.forEach(EventStream::beat),
        HEARTBEAT.toMillis(),
        HEARTBEAT.toMillis(),
        TimeUnit.MILLISECONDS);
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
    if (open.size() >= MOST) {
      throw new Problem(503, "too-many", "more than " + MOST + " pages are open; close some");
    }
    response.setContentType("text/event-stream");
    response.setCharacterEncoding("UTF-8");
    // A proxy that collects a response before it hands it on would never hand on this one.
    response.setHeader("X-Accel-Buffering", "no");
    response.flushBuffer();
    AsyncContext context = request.http().startAsync();
    context.setTimeout(0);
    EventStream stream =
        new EventStream(view, api::isAbsent, request, context, writers, open::remove);
    open.add(stream);
    stream.start();
  }

  /** Returns how many pages are open. */
  public int open() {
    return open.size();
  }

  @Override
  public void close() {
    clock.shutdownNow();
    open.forEach(EventStream::end);
    writers.shutdown();
  }
}
