package dev.pawl.spring.boot;

import dev.pawl.Pawl;

/**
 * Closes the node when the context closes: after what works under locks, and before the clients it
 * stands on, some of which end with the lifecycle and not as beans.
 */
final class PawlShutdown extends ContextEnd {

  /** Just before phase 0, in which clients end. */
  static final int PHASE = 1;

  private final Pawl pawl;
  private final Foundation foundation;

  PawlShutdown(Pawl pawl, Foundation foundation) {
    this.pawl = pawl;
    this.foundation = foundation;
  }

  @Override
  void end() {
    pawl.close();
    foundation.close();
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
