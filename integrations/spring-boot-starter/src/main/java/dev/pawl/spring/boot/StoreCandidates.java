package dev.pawl.spring.boot;

import dev.pawl.Store;

/** A kind of bean that a store can stand on. */
interface StoreCandidates {

  /** Returns the type of those beans. */
  Class<?> type();

  /** Opens a store that does not close the bean. */
  Store open(Object bean);
}
