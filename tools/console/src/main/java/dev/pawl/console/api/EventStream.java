package dev.pawl.console.api;

import dev.pawl.console.json.Json;
import dev.pawl.console.watch.Shared;
import dev.pawl.console.watch.Trouble;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open page. A change wakes it; what it is told is worked out when it can be written, so that a
 * browser that is slow gets the latest, and not everything in between.
 */
final class EventStream {

  private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);

  private final View view;
  private final Supplier<Map<String, @Nullable Object>> standing;
  private final Supplier<Optional<Instant>> now;
  private final Request request;
  private final AsyncContext context;
  private final Executor writers;
  private final Consumer<EventStream> ended;
  private final List<Runnable> watches = new CopyOnWriteArrayList<>();
  private final AtomicInteger due = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final ReentrantLock writing = new ReentrantLock();
  private volatile boolean beat;
  private Optional<Map<String, @Nullable Object>> told = Optional.empty();

  EventStream(
      View view,
      Supplier<Map<String, @Nullable Object>> standing,
      Supplier<Optional<Instant>> now,
      Request request,
      AsyncContext context,
      Executor writers,
      Consumer<EventStream> ended) {
    this.view = view;
    this.standing = standing;
    this.now = now;
    this.request = request;
    this.context = context;
    this.writers = writers;
    this.ended = ended;
  }

  void start() {
    context.addListener(new End());
    for (Shared<?> source : view.sources()) {
      watches.add(source.watch(this::wake));
    }
    if (over.get()) {
      watches.forEach(Runnable::run); // It ended while they were made.
    }
    wake();
  }

  /** Writes something, so that a page that has gone is noticed, and a session that has ended. */
  void beat() {
    beat = true;
    wake();
  }

  /** Has it written at once, or again if it is being written. */
  private void wake() {
    if (!over.get() && due.getAndIncrement() == 0) {
      try {
        writers.execute(this::writeAll);
      } catch (RejectedExecutionException e) {
        end();
      } catch (Throwable e) { // There is no thread for it: the browser asks again by itself.
        LOG.warn("a page cannot be told of changes", e);
        end();
      }
    }
  }

  private void writeAll() {
    int seen;
    do {
      seen = due.get();
      try {
        write();
      } catch (IOException | IllegalStateException e) {
        LOG.debug("a page has gone", e);
        end();
      } catch (Throwable e) { // An Error, too: nobody would end the page, and it keeps a place.
        LOG.warn("a page cannot be shown", e);
        end();
      }
    } while (!over.get() && !due.compareAndSet(seen, 0));
  }

  private void write() throws IOException {
    writing.lock();
    try {
      if (over.get()) {
        return;
      }
      if (!request.isAlive()) {
        send(request.session().isPresent() ? "signed-out" : "again", "{}");
        end();
        return;
      }
      Map<String, @Nullable Object> store = store();
      if (!Optional.of(store).equals(told)) {
        told = Optional.of(store);
        send("store", Json.forBrowsers(store));
      }
      if (isFresh()) {
        Optional<String> message = view.next();
        if (message.isPresent()) {
          send("view", message.get());
        }
      }
      if (beat) {
        beat = false;
        // A page whose own clock was set shows ages as they are soon after.
        send("beat", Json.forBrowsers(Json.object("now", now.get())));
      }
    } finally {
      writing.unlock();
    }
  }

  private Map<String, @Nullable Object> store() {
    Optional<Trouble> trouble =
        view.sources().stream().flatMap(source -> source.latest().trouble().stream()).findFirst();
    Map<String, @Nullable Object> store =
        Json.object("trouble", trouble.map(Trouble::message), "code", trouble.map(Trouble::code));
    store.putAll(standing.get());
    return store;
  }

  /** What was read while nobody looked, some time ago, is not shown as if it were new. */
  private boolean isFresh() {
    return view.sources().stream()
        .allMatch(source -> source.latest().trouble().isPresent() || source.isCurrent());
  }

  private void send(String event, String data) throws IOException {
    OutputStream out = context.getResponse().getOutputStream();
    out.write(("event: " + event + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  void end() {
    if (over.compareAndSet(false, true)) {
      watches.forEach(Runnable::run);
      ended.accept(this);
      try {
        context.complete();
      } catch (IllegalStateException e) {
        LOG.debug("it had ended by itself", e);
      }
    }
  }

  private final class End implements AsyncListener {
    @Override
    public void onComplete(AsyncEvent event) {
      end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
      end();
    }

    @Override
    public void onError(AsyncEvent event) {
      end();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
  }
}
