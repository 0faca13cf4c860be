package dev.pawl.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * A certificate that a test server shows, made anew by the JDK's {@code keytool}, and what its
 * clients need in order to trust it.
 *
 * @param certificate the certificate, as PEM
 * @param key the private key, as PEM
 * @param trustStore a PKCS #12 store with the certificate, under {@link #PASSWORD}
 */
public record TlsIdentity(Path certificate, Path key, Path trustStore) {

  /** The password of the stores; there is nothing in them to protect. */
  public static final String PASSWORD = "changeit";

  private static final String ALIAS = "server";

  /** Makes one in that directory, for addresses such as {@code ip:127.0.0.1}. */
  public static TlsIdentity make(Path directory, String addresses) {
    Path store = directory.resolve("server.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    ServerProcess.run(
        List.of(
            keytool,
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "RSA",
            "-dname",
            "CN=pawl-test",
            "-ext",
            "san=" + addresses,
            "-validity",
            "2",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD),
        Map.of(),
        directory.resolve("keytool.log"));
    try {
      return written(directory, store);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static TlsIdentity written(Path directory, Path store)
      throws IOException, GeneralSecurityException {
    KeyStore made = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      made.load(in, PASSWORD.toCharArray());
    }
    Certificate certificate = made.getCertificate(ALIAS);
    Path pem = pem(directory.resolve("server.crt"), "CERTIFICATE", certificate.getEncoded());
    Path key =
        pem(
            directory.resolve("server.key"),
            "PRIVATE KEY",
            made.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry(ALIAS, certificate);
    Path trustStore = directory.resolve("trust.p12");
    try (OutputStream out = Files.newOutputStream(trustStore)) {
      trust.store(out, PASSWORD.toCharArray());
    }
    return new TlsIdentity(pem, key, trustStore);
  }

  private static Path pem(Path file, String kind, byte[] content) throws IOException {
    String lines =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
    return Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n");
  }
}
