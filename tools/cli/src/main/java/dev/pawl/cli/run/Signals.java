package dev.pawl.cli.run;

import dev.pawl.cli.shell.ExitCode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The signals that end a command: passed on to it while it runs. Before, they end the wait for its
 * lock; a wait that does not heed that, since the store does not answer, ends with the process.
 */
final class Signals {

  private enum Forwarded {
    HUP(1),
    INT(2),
    TERM(15);

    private final int number;

    Forwarded(int number) {
      this.number = number;
    }
  }

  /** What the wait gets to take back what it has asked of the store. */
  private static final Duration TAKE_BACK = Duration.ofSeconds(2);

  private final ReentrantLock lock = new ReentrantLock();
  private final Thread waiting;
  private @Nullable Leash leash;
  private @Nullable Forwarded early;

  private Signals(Thread waiting) {
    this.waiting = waiting;
  }

  /** Takes the signals over; until there is a leash, the calling thread is interrupted. */
  static Signals take() {
    Signals signals = new Signals(Thread.currentThread());
    for (Forwarded signal : Forwarded.values()) {
      handle(signal.name(), () -> signals.onSignal(signal));
    }
    return signals;
  }

  /** By reflection: {@code javac} warns of {@code sun.misc.Signal}, and nothing else has it. */
  private static void handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                action.run();
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (InvocationTargetException e) {
      // The JVM was told to leave it alone: so do we.
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JVM does not let signals be handled", e);
    }
  }

  private void onSignal(Forwarded signal) {
    lock.lock();
    try {
      if (leash != null) {
        leash.signal(signal.name());
      } else {
        if (early == null) {
          haltLater();
        }
        early = signal;
        waiting.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  private void haltLater() {
    Thread thread =
        new Thread(
            () -> {
              LockSupport.parkNanos(TAKE_BACK.toNanos());
              haltUnlessPassedOn();
            },
            "pawl-signals");
    thread.setDaemon(true);
    thread.start();
  }

  private void haltUnlessPassedOn() {
    lock.lock();
    try {
      if (leash == null) {
        Runtime.getRuntime().halt(code());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether one has come that was not passed on. */
  boolean hasCome() {
    lock.lock();
    try {
      return early != null && leash == null;
    } finally {
      lock.unlock();
    }
  }

  /** Has signals passed on from now, and one that came before. */
  void passTo(Leash newLeash) {
    lock.lock();
    try {
      leash = newLeash;
      if (early != null) {
        newLeash.signal(early.name());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the exit code of a wait that a signal has ended. */
  int code() {
    lock.lock();
    try {
      return ExitCode.SIGNALLED + (early == null ? Forwarded.INT : early).number;
    } finally {
      lock.unlock();
    }
  }
}
