package dev.pawl.cli.run;

import dev.pawl.cli.shell.ExitCode;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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
  private @Nullable Consumer<String> receiver;
  private @Nullable Forwarded early;

  private Signals(Thread waiting) {
    this.waiting = waiting;
  }

  /** Takes the signals over; until somebody receives them, the calling thread is interrupted. */
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

  /**
   * Ends this process by a signal, as if it had not been handled: a shell goes on with its script
   * if a command took Ctrl-C for itself, and only stops if the command died of it.
   */
  static void dieOf(String name) {
    boolean unused = Thread.interrupted(); // By the signal itself, if it came early.
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object own = signal.getConstructor(String.class).newInstance(name);
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, own, handler.getField("SIG_DFL").get(null));
      long pid = ProcessHandle.current().pid();
      new ProcessBuilder("sh", "-c", "kill -s " + name + " " + pid).start().waitFor();
    } catch (ReflectiveOperationException | IOException e) {
      // The exit code has to do.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void onSignal(Forwarded signal) {
    lock.lock();
    try {
      if (receiver != null) {
        receiver.accept(signal.name());
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
      if (receiver == null) {
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
      return early != null && receiver == null;
    } finally {
      lock.unlock();
    }
  }

  /** Has signals passed on from now, and one that came before. */
  void passTo(Consumer<String> newReceiver) {
    lock.lock();
    try {
      receiver = newReceiver;
      if (early != null) {
        newReceiver.accept(early.name());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the exit code of one that ended by that signal. */
  static int code(String signal) {
    return ExitCode.SIGNALLED + Forwarded.valueOf(signal).number;
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
