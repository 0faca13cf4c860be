package dev.pawl.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Objects;
import java.util.Optional;

/** Who the application's own security says it is. */
public record ContainerAccess(String operatorRole) implements Access {

  /** Checks the role. */
  public ContainerAccess {
    Objects.requireNonNull(operatorRole, "operatorRole");
  }

  @Override
  public Optional<User> identified(HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    if (principal == null || principal.getName() == null) {
      return Optional.empty();
    }
    Role role = request.isUserInRole(operatorRole) ? Role.OPERATOR : Role.VIEWER;
    return Optional.of(new User(principal.getName(), role));
  }

  @Override
  public boolean hasSessions() {
    return false;
  }

  @Override
  public String kind() {
    return "application";
  }
}
