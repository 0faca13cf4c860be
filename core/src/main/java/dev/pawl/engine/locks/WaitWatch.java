package dev.pawl.engine.locks;

/** Is told which calls block their threads, and knows what the store is told of a thread. */
public interface WaitWatch {

  void enter(Caller caller);

  void exit(Caller caller);

  /**
   * Returns what the store is told of a thread: its name, and what it waits for if that is known.
   */
  String actor(Thread thread);
}
