package dev.pawl.bench.contest;

import java.util.Optional;

/** One way to take and free locks, opened in one process. */
public interface Competitor extends AutoCloseable {

  /** Takes the name; waits for it in the way this competitor has. */
  Hold acquire(String name) throws Exception;

  /** Takes the name if it is free now. */
  Optional<Hold> tryAcquire(String name) throws Exception;

  @Override
  void close() throws Exception;

  /** What was taken; freed by the thread that took it. */
  @FunctionalInterface
  interface Hold {

    /** Frees it. */
    void release() throws Exception;
  }
}
