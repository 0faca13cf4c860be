package dev.pawl.console.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.util.Collections;

/**
 * The key and the certificate of the server.
 *
 * @param file a key store, in PKCS 12 or as {@code keytool} makes it
 * @param password what opens it
 */
public record TlsKeys(Path file, String password) {

  /**
   * Reads the key store.
   *
   * @throws IllegalArgumentException if it cannot serve; the message says why, and what to do
   */
  public KeyStore read() {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new IllegalArgumentException(
          "cannot read the key store "
              + file
              + (Files.exists(file) ? "" : ": there is no such file"));
    }
    try {
      KeyStore keys = KeyStore.getInstance(file.toFile(), password.toCharArray());
      for (String alias : Collections.list(keys.aliases())) {
        if (keys.isKeyEntry(alias) && keys.getKey(alias, password.toCharArray()) != null) {
          return keys;
        }
      }
      throw new IllegalArgumentException(
          "the key store " + file + " has no private key; import the key with its certificate");
    } catch (UnrecoverableKeyException e) {
      throw new IllegalArgumentException(
          "the key in " + file + " has another password than the key store; give both the same", e);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          isWrongPassword(e)
              ? "the password does not open the key store " + file
              : file + " is no key store in PKCS 12 or JKS",
          e);
    }
  }

  private static boolean isWrongPassword(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof UnrecoverableKeyException
          || String.valueOf(each.getMessage()).contains("password")) {
        return true;
      }
    }
    return false;
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "TlsKeys[" + file + "]";
  }
}
