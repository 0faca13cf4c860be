package dev.pawl.bench.crowd;

/** Locks of one library, opened in one process for a number of nodes. */
interface Library extends AutoCloseable {

  /** Waits for one of the permits of a semaphore. */
  Hold permit(int node, String name, int capacity) throws Exception;

  /** Waits for a read lock; each call is another reader. */
  Hold read(int node, String name) throws Exception;

  /** Waits for an exclusive lock. */
  Hold lock(int node, String name) throws Exception;

  @Override
  void close() throws Exception;

  /** What was taken. */
  interface Hold {

    /** Tells whether it is still held. */
    boolean isHeld() throws Exception;

    /** Frees it. */
    void release() throws Exception;
  }
}
