package dev.pawl.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** How the console knows who asks. */
public sealed interface Access permits LinkAccess, PasswordAccess, ProxyAccess, ContainerAccess {

  /**
   * Returns who the server or a proxy in front of it says it is, with each request; empty if that
   * is nobody, or if this kind of access goes by a session.
   */
  Optional<User> identified(HttpServletRequest request);

  /** Tells whether somebody is known by a cookie that this console has issued. */
  boolean hasSessions();

  /** Tells whether the browser's connection is encrypted: its cookie then stays on such. */
  default boolean isSecure(HttpServletRequest request) {
    return request.isSecure();
  }

  /**
   * Tells whether somebody who has a session may still have it: one that outlives a restart may be
   * of a user who is gone, or has another role by now.
   */
  default boolean knows(User user) {
    return true;
  }

  /** Returns what the page offers to somebody who is not known. */
  String kind();

  /**
   * Returns access behind the security of the application that mounts the console: its principal,
   * who is an operator in {@code operatorRole} and a viewer otherwise. Who may come at all is the
   * application's matter; nobody without a principal gets in.
   */
  static Access ofContainer(String operatorRole) {
    return new ContainerAccess(operatorRole);
  }
}
