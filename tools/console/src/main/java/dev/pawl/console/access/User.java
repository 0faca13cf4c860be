package dev.pawl.console.access;

/**
 * Somebody who is known.
 *
 * @param name as it is written into the journal
 */
public record User(String name, Role role) {

  /** Tells whether they may step in. */
  public boolean isOperator() {
    return role == Role.OPERATOR;
  }
}
