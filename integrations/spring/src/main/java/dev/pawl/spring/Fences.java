package dev.pawl.spring;

/** The check of tokens in the transaction that begins under a lock. */
interface Fences {

  /** Admits the token in the open transaction of this thread, if a fence is there for it. */
  void admit(HeldLocks.Held held);

  /** Returns what there is without a fence. */
  static Fences none() {
    return held -> {};
  }
}
