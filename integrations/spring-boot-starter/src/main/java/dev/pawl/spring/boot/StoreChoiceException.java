package dev.pawl.spring.boot;

/** There is no node: which store is meant cannot be told, it cannot be opened, or as what. */
class StoreChoiceException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String description;
  private final String action;

  StoreChoiceException(String message, String action) {
    super(message + ". " + action);
    this.description = message + ".";
    this.action = action;
  }

  private StoreChoiceException(String message, String action, RuntimeException cause) {
    super(message + ". " + action, cause);
    this.description = message + ".";
    this.action = action;
  }

  static StoreChoiceException notOpened(RuntimeException cause) {
    return new StoreChoiceException(
        "The store of Pawl cannot be opened: " + cause.getMessage(),
        "Have it ready when the application starts. In tests, pawl.store=memory: needs nothing"
            + " else; pawl.enabled=false turns Pawl off.",
        cause);
  }

  static StoreChoiceException notAllowed(String property, IllegalArgumentException cause) {
    return new StoreChoiceException(
        "A value of " + property + " is not allowed: " + cause.getMessage(),
        "Correct it, or leave it out.",
        cause);
  }

  String description() {
    return description;
  }

  String action() {
    return action;
  }
}
