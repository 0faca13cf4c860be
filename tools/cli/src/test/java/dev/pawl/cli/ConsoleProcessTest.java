package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlProcess.Result;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code pawl console}, as it is started. */
class ConsoleProcessTest {

  @TempDir Path directory;

  private String store() {
    return "sqlite:" + directory.resolve("locks.db");
  }

  @Test
  void thePrintedAddressLetsOneIn() throws Exception {
    try (PawlProcess console =
        PawlProcess.start(Map.of("PAWL_STORE", store()), "console", "--port", "0")) {
      String link = address(console);
      HttpClient client =
          HttpClient.newBuilder()
              .followRedirects(HttpClient.Redirect.NORMAL)
              .cookieHandler(new java.net.CookieManager())
              .build();
      HttpResponse<String> page = get(client, link);
      assertThat(page.body()).contains("<title>Pawl</title>");
      assertThat(page.uri().toString()).doesNotContain("token");
      HttpResponse<String> session = get(client, page.uri() + "api/v1/session");
      assertThat(session.body()).contains("\"operator\":true", "\"absent\":true");
      // Looking has created nothing; the first lock does, and the page sees it.
      assertThat(directory.resolve("locks.db")).doesNotExist();
      assertThat(PawlProcess.run(store(), "run", "a", "--", "true").code()).isZero();
    }
  }

  private static String address(PawlProcess console) {
    console.awaitText("\n");
    console.awaitText("http://127.0.0.1:");
    return console.outSoFar().strip();
  }

  private static HttpResponse<String> get(HttpClient client, String url) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aPortThatIsInUseIsSaidInOneLine() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Result result = PawlProcess.run(store(), "console", "--port", "" + taken.getLocalPort());
      assertThat(result.code()).isEqualTo(69);
      assertThat(result.err().strip().lines()).hasSize(1);
      assertThat(result.err()).contains("" + taken.getLocalPort(), "in use", "--port 0");
    }
  }

  @Test
  void itRefusesAnotherAddressWithoutUsers() {
    Result result = PawlProcess.run(store(), "console", "--bind", "0.0.0.0", "--port", "0");
    assertThat(result.code()).isEqualTo(64);
    assertThat(result.err()).contains("--users", "--proxy-header");
  }

  @Test
  void optionsThatDoNotGoTogetherAreRefused() {
    for (String[] options :
        new String[][] {
          {"--proxy-header", "X-User"},
          {"--proxies", "10.0.0.1"},
          {"--proxy-header", "X-User", "--proxies", "nonsense"},
          {"--users", directory.resolve("none").toString()},
          {"--port", "70000"},
          {"--bind", "not.an.address.invalid"},
          {"--tls-keystore", directory.resolve("none").toString()},
        }) {
      String[] arguments = new String[options.length + 1];
      arguments[0] = "console";
      System.arraycopy(options, 0, arguments, 1, options.length);
      Result result = PawlProcess.run(store(), arguments);
      assertThat(result.code()).as(String.join(" ", options) + result.err()).isEqualTo(64);
      assertThat(result.err().strip().lines()).hasSize(1);
    }
  }

  @Test
  void aLineForTheFileOfUsersIsMadeOfAPassword() throws Exception {
    try (PawlProcess pawl =
        PawlProcess.startBash(
            Map.of(),
            "echo secret | " + PawlProcess.script() + " console --new-user olga --role operator")) {
      Result result = pawl.await();
      assertThat(result.out()).startsWith("olga:operator:$2a$12$");
      Path users = Files.writeString(directory.resolve("users"), result.out());
      try (PawlProcess console =
          PawlProcess.start(
              Map.of("PAWL_STORE", store()), "console", "--port", "0", "--users", "" + users)) {
        assertThat(address(console)).doesNotContain("token");
      }
    }
  }
}
