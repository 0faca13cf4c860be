package dev.pawl.spring.boot;

/** Which store is meant cannot be told. */
class StoreChoiceException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String action;

  StoreChoiceException(String message, String action) {
    super(message + ". " + action);
    this.action = action;
  }

  String action() {
    return action;
  }
}
