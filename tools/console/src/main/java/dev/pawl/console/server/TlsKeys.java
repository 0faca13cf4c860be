package dev.pawl.console.server;

import java.nio.file.Path;

/**
 * The key and the certificate of the server.
 *
 * @param file a key store, in PKCS 12 or as {@code keytool} makes it
 * @param password what opens it
 */
public record TlsKeys(Path file, String password) {

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "TlsKeys[" + file + "]";
  }
}
