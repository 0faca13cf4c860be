package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.server.TlsKeys;
import dev.pawl.testservers.TlsIdentity;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS by a key store, as {@code keytool} makes it. */
class TlsTest {

  @TempDir static Path directory;
  private static TlsIdentity identity;
  private static Path keys;

  @BeforeAll
  static void makeKeys() {
    identity = TlsIdentity.make(directory, "ip:127.0.0.1");
    keys = directory.resolve("server.p12");
  }

  private static Fixture start(TlsKeys tls) throws Exception {
    return Fixture.start(() -> Pawl.connect("memory:"), new LinkAccess(Fixture.OPERATOR), tls);
  }

  @Test
  void thePageIsServedByHttpsAndItsCookieStaysThere() throws Exception {
    try (Fixture console = start(new TlsKeys(keys, TlsIdentity.PASSWORD))) {
      assertThat(console.url()).startsWith("https://127.0.0.1:");
      HttpClient trusting = HttpClient.newBuilder().sslContext(trust()).build();
      HttpResponse<String> opened =
          trusting.send(
              HttpRequest.newBuilder(URI.create(console.link())).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(opened.statusCode()).isEqualTo(303);
      assertThat(opened.headers().firstValue("Set-Cookie").orElseThrow()).endsWith("; Secure");
      assertThatThrownBy(
              () ->
                  HttpClient.newHttpClient()
                      .send(
                          HttpRequest.newBuilder(URI.create(console.url())).build(),
                          HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(SSLException.class);
      // Plain HTTP gets no answer of ours.
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), console.port())) {
        socket.setSoTimeout(30_000);
        socket
            .getOutputStream()
            .write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
            .doesNotContain("Pawl");
      }
    }
  }

  private static SSLContext trust() throws Exception {
    KeyStore store =
        KeyStore.getInstance(identity.trustStore().toFile(), TlsIdentity.PASSWORD.toCharArray());
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  @Test
  void aKeyStoreThatCannotServeIsRefusedWithTheReason() throws Exception {
    Path text = Files.writeString(directory.resolve("text"), "not a key store");
    Path empty = Files.createFile(directory.resolve("empty"));
    refused(new TlsKeys(keys, "wrong"), "the password does not open the key store " + keys);
    refused(new TlsKeys(keys, ""), "the password does not open the key store " + keys);
    refused(new TlsKeys(directory.resolve("none"), "x"), "there is no such file");
    refused(new TlsKeys(directory, "x"), "cannot read the key store");
    refused(new TlsKeys(text, "x"), "is no key store");
    refused(new TlsKeys(empty, "x"), "is no key store");
    refused(new TlsKeys(identity.trustStore(), TlsIdentity.PASSWORD), "has no private key");
  }

  private static void refused(TlsKeys tls, String why) {
    assertThatThrownBy(() -> start(tls).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .message()
        .doesNotContain("wrong");
  }
}
