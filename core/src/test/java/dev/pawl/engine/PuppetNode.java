package dev.pawl.engine;

import dev.pawl.LockOptions;
import dev.pawl.PawlException;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.deadlocks.DeadlockWatch;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.locks.Vigilance;
import dev.pawl.engine.threads.Platform;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node whose clock, timers and messages move only when the test says so: what threads do to each
 * other by chance, in one thread and in order.
 */
public final class PuppetNode {

  public static final long SECOND = 1_000_000_000;

  /** How long it bears a silent store by default. */
  private static final Duration RESPONSE = Duration.ofSeconds(3);

  /** The store's methods that do no I/O. */
  private static final Set<String> TELLS_ONLY =
      Set.of("capabilities", "describe", "mode", "shard", "subscribe");

  /** The commands that are held back, by the names of the store's methods. */
  public Set<String> heldBack = Set.of();

  /** What the store's methods throw, by their names. */
  public Map<String, Throwable> broken = Map.of();

  /** The names that the store cannot read, so that calls fail which renew them. */
  public Set<String> unreadable = Set.of();

  /** Whether nobody knows of any claim whether it still stands. */
  public boolean inDoubt;

  /** For how long the store vouches for what it grants; zero if for as long as it lasts. */
  public long trustMicros;

  /** What was held back, the oldest first. */
  public final List<Message> messages = new ArrayList<>();

  /** What the engine could not handle. */
  public final List<Throwable> bugs = new ArrayList<>();

  /** Is told whenever the node reads its clock, which it also does with a queue's lock held. */
  Runnable onClock = () -> {};

  /** Whether the store's driver blocks, so that its calls are made on the threads for that. */
  boolean blocking;

  Executor io = Runnable::run;
  Executor renewals = Runnable::run;
  public Executor search = Runnable::run;
  Executor callbacks = Runnable::run;
  Executor losses = Runnable::run;
  Executor bodies = Runnable::run;

  public final LockStore server;
  final LockStore store;
  public final Engine engine;
  private final AtomicLong clock;
  private final List<WakeUp> wakeUps = new CopyOnWriteArrayList<>();

  /** Whether timers are fired, which is done by a thread that must not block. */
  private boolean firing;

  /** How deep in a call on a thread for calls that block. */
  private int onItsThread;

  private volatile boolean shutDown;

  private record WakeUp(long atNanos, Runnable task) {}

  /** A node and a store of its own, on a clock that begins at that moment. */
  public PuppetNode(long nanos) {
    this(nanos, RESPONSE);
  }

  /** One that bears a silent store for so long, which threads that wait for it do in real time. */
  PuppetNode(long nanos, Duration response) {
    this("puppet", new AtomicLong(nanos), response);
  }

  private PuppetNode(String id, AtomicLong clock, Duration response) {
    this(id, clock, new MemoryStore(() -> 1_700_000_000_000_000L + clock.get() / 1_000), response);
  }

  private PuppetNode(String id, AtomicLong clock, LockStore server, Duration response) {
    this.clock = clock;
    this.server = server;
    this.store =
        (LockStore)
            Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> onCall(method, arguments));
    Platform platform =
        new Platform(
            this::nanos,
            (task, delay) -> {
              WakeUp wakeUp = new WakeUp(clock.get() + delay, task);
              wakeUps.add(wakeUp);
              return () -> wakeUps.remove(wakeUp);
            },
            task -> io.execute(() -> mayBlock(task)),
            task -> renewals.execute(() -> mayBlock(task)),
            task -> search.execute(task),
            task -> callbacks.execute(task),
            task -> losses.execute(task),
            task -> bodies.execute(task),
            new SplittableRandom(1),
            bugs::add,
            () -> shutDown = true);
    this.engine =
        new Engine(
            store,
            id,
            "app@" + id,
            response,
            platform,
            new Vigilance(60 * SECOND, true),
            DeadlockWatch::new);
  }

  /** Another node on the same store and clock. */
  public PuppetNode neighbour(String id) {
    return new PuppetNode(id, clock, server, RESPONSE);
  }

  /** A command that was held back on its way to the store, and its answer on the way back. */
  public final class Message {
    private final Method method;
    private final Object[] arguments;
    private final CompletableFuture<Object> stage = new CompletableFuture<>();
    private CompletionStage<?> reply;

    private Message(Method method, Object[] arguments) {
      this.method = method;
      this.arguments = arguments;
    }

    /** Lets the command reach the store. */
    public void arrive() {
      if (reply == null) {
        reply = (CompletionStage<?>) call(method, arguments);
      }
    }

    /** Lets the answer reach the node, and before it the command the store. */
    public void answer() {
      arrive();
      stage.complete(reply.toCompletableFuture().join());
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // It is what the proxied method returns.
  private Object onCall(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("blocking")) {
      return blocking;
    }
    if (blocking && firing && onItsThread == 0 && !TELLS_ONLY.contains(method.getName())) {
      bugs.add(new IllegalStateException("the thread of the timers called " + method.getName()));
    }
    if (broken.containsKey(method.getName())) {
      throw broken.get(method.getName());
    }
    if (method.getName().equals("renew")
        && commands(arguments).stream().anyMatch(each -> unreadable.contains(each.name()))) {
      return CompletableFuture.failedFuture(new PawlException("an entry of another version"));
    }
    if (inDoubt && method.getName().equals("renew")) {
      return server.renew(commands(arguments)).thenApply(PuppetNode::inDoubt);
    }
    if (trustMicros > 0 && method.getName().equals("renew")) {
      return server.renew(commands(arguments)).thenApply(this::trusted);
    }
    if (trustMicros > 0 && method.getName().equals("acquire")) {
      return server.acquire((Command.Acquire) arguments[0]).thenApply(this::trusted);
    }
    if (!heldBack.contains(method.getName())) {
      return call(method, arguments);
    }
    Message message = new Message(method, arguments);
    messages.add(message);
    return message.stage;
  }

  @SuppressWarnings("unchecked") // It is what the store's method takes.
  private static List<Command.Renew> commands(Object[] arguments) {
    return (List<Command.Renew>) arguments[0];
  }

  private static List<RenewReply> inDoubt(List<RenewReply> replies) {
    return replies.stream().map(each -> inDoubt(((RenewReply.Held) each).grant())).toList();
  }

  private static RenewReply inDoubt(Grant told) {
    return new RenewReply.Held(
        new Grant(told.claim(), told.token(), told.span(), told.nowMicros(), told.nowMicros()));
  }

  private List<RenewReply> trusted(List<RenewReply> replies) {
    return replies.stream()
        .map(
            each ->
                each instanceof RenewReply.Held held
                    ? new RenewReply.Held(trusted(held.grant()))
                    : each)
        .toList();
  }

  private AcquireReply trusted(AcquireReply reply) {
    return reply instanceof AcquireReply.Granted granted
        ? new AcquireReply.Granted(trusted(granted.grant()))
        : reply;
  }

  private Grant trusted(Grant told) {
    return new Grant(
        told.claim(), told.token(), told.span(), told.untilMicros(), told.nowMicros(), trustMicros);
  }

  private void mayBlock(Runnable task) {
    onItsThread++;
    try {
      task.run();
    } finally {
      onItsThread--;
    }
  }

  private long nanos() {
    onClock.run();
    return clock.get();
  }

  private Object call(Method method, Object[] arguments) {
    try {
      return method.invoke(server, arguments);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lets time pass while nothing of this node runs. */
  public void stall(long nanos) {
    clock.addAndGet(nanos);
  }

  /** Lets time pass, with all the timers that become due. */
  public void pass(long nanos) {
    long end = clock.get() + nanos;
    wake(end);
    clock.accumulateAndGet(end, (now, then) -> then - now > 0 ? then : now);
  }

  private void wake(long end) {
    while (true) {
      WakeUp next =
          wakeUps.stream()
              .filter(wakeUp -> wakeUp.atNanos() - end <= 0)
              .min(Comparator.comparingLong(wakeUp -> wakeUp.atNanos() - end))
              .orElse(null);
      if (next == null) {
        return;
      }
      wakeUps.remove(next);
      clock.accumulateAndGet(next.atNanos(), (now, then) -> then - now > 0 ? then : now);
      if (!shutDown) {
        firing = true;
        next.task().run();
        firing = false;
      }
    }
  }

  public Caller call(String name, LockOptions options, long waitNanos) {
    return call(Request.exclusive(name, options), waitNanos);
  }

  public Caller call(Request request, long waitNanos) {
    Caller caller = new Caller(request, null, false, engine.now(), waitNanos);
    engine.start(caller, false);
    return caller;
  }

  public static HeldLease lease(Caller caller) {
    return ((CallResult.Held) caller.outcome.getNow(null)).lease();
  }
}
