package dev.pawl.engine.time;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All timers of a node: a binary heap whose members know their place, so that moving and cancelling
 * leave nothing behind (I10).
 *
 * <p>It arms the scheduler only when something becomes due earlier than the wake-up that is already
 * set. A lock that is taken and released a million times between two wake-ups costs none.
 */
public final class TimerQueue {

  private final ReentrantLock lock = new ReentrantLock();
  private final Ticker ticker;
  private final Scheduler scheduler;
  private final Consumer<List<Timed>> onDue;
  private Timed[] heap = new Timed[16];
  private int size;
  private boolean armed;
  private long armedNanos;

  /** What takes back the wake-up that is set, which may have a long way to go. */
  private @Nullable Runnable takeBack;

  public TimerQueue(Ticker ticker, Scheduler scheduler, Consumer<List<Timed>> onDue) {
    this.ticker = ticker;
    this.scheduler = scheduler;
    this.onDue = onDue;
  }

  /** Sets or moves the timer. */
  public void set(Timed timed, long dueNanos) {
    set(timed, dueNanos, false);
  }

  /** Sets the timer, unless it is due earlier already. */
  public void setNoLater(Timed timed, long dueNanos) {
    set(timed, dueNanos, true);
  }

  private void set(Timed timed, long dueNanos, boolean noLater) {
    boolean arm;
    long next;
    lock.lock();
    try {
      if (noLater && timed.timerIndex >= 0 && timed.dueNanos - dueNanos <= 0) {
        return;
      }
      timed.dueNanos = dueNanos;
      if (timed.timerIndex < 0) {
        if (size == heap.length) {
          heap = Arrays.copyOf(heap, size * 2);
        }
        timed.timerIndex = size++;
      }
      up(timed, down(timed, timed.timerIndex));
      arm = arm();
      next = armedNanos;
    } finally {
      lock.unlock();
    }
    if (arm) {
      wakeAt(next);
    }
  }

  public void cancel(Timed timed) {
    lock.lock();
    try {
      remove(timed);
    } finally {
      lock.unlock();
    }
  }

  public int size() {
    lock.lock();
    try {
      return size;
    } finally {
      lock.unlock();
    }
  }

  private void wakeAt(long dueNanos) {
    @Nullable Runnable superseded;
    try {
      superseded = scheduler.schedule(() -> wake(dueNanos), Math.max(0, dueNanos - ticker.nanos()));
    } catch (Throwable e) { // No memory, or no thread, just now.
      disarm(dueNanos);
      throw e;
    }
    lock.lock();
    try {
      if (armed && armedNanos == dueNanos) { // Else an earlier one came meanwhile, or it has run.
        @Nullable Runnable before = takeBack;
        takeBack = superseded;
        superseded = before;
      }
    } finally {
      lock.unlock();
    }
    if (superseded != null) {
      superseded.run();
    }
  }

  /** Nothing wakes it at that time: whatever does next, or the next timer, sets another wake-up. */
  private void disarm(long dueNanos) {
    lock.lock();
    try {
      armed = armed && armedNanos != dueNanos;
    } finally {
      lock.unlock();
    }
  }

  private void wake(long armedFor) {
    List<Timed> due = new ArrayList<>();
    boolean arm;
    long next = 0;
    lock.lock();
    try {
      if (armed && armedNanos != armedFor) {
        return; // An earlier wake-up has replaced this one.
      }
      armed = false;
      takeBack = null;
      long now = ticker.nanos();
      while (size > 0 && heap[0].dueNanos - now <= 0) {
        due.add(heap[0]);
        remove(heap[0]);
      }
      arm = arm();
      next = armedNanos;
    } finally {
      lock.unlock();
    }
    try {
      if (arm) {
        wakeAt(next);
      }
    } finally {
      if (!due.isEmpty()) {
        onDue.accept(due);
      }
    }
  }

  private boolean arm() {
    if (size == 0 || (armed && armedNanos - heap[0].dueNanos <= 0)) {
      return false;
    }
    armed = true;
    armedNanos = heap[0].dueNanos;
    return true;
  }

  private void remove(Timed timed) {
    int index = timed.timerIndex;
    if (index < 0) {
      return;
    }
    timed.timerIndex = -1;
    Timed last = heap[--size];
    heap[size] = null;
    if (last != timed) {
      up(last, down(last, index));
    }
  }

  private int down(Timed timed, int from) {
    int index = from;
    while (true) {
      int child = 2 * index + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && heap[child + 1].dueNanos - heap[child].dueNanos < 0) {
        child++;
      }
      if (heap[child].dueNanos - timed.dueNanos >= 0) {
        break;
      }
      place(heap[child], index);
      index = child;
    }
    place(timed, index);
    return index;
  }

  private void up(Timed timed, int from) {
    int index = from;
    while (index > 0) {
      int parent = (index - 1) / 2;
      if (heap[parent].dueNanos - timed.dueNanos <= 0) {
        break;
      }
      place(heap[parent], index);
      index = parent;
    }
    place(timed, index);
  }

  private void place(Timed timed, int index) {
    heap[index] = timed;
    timed.timerIndex = index;
  }
}
