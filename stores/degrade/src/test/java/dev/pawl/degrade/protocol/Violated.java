package dev.pawl.degrade.protocol;

/** Something that must never be, in a state of the small world. */
final class Violated extends RuntimeException {

  private static final long serialVersionUID = 1L;

  Violated(String what) {
    super(what, null, false, false);
  }
}
