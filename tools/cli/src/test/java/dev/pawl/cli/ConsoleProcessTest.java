package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.TlsIdentity;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
      HttpClient client = browser();
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

  @Test
  void aStoreThatIsNotThereIsSaidAndShownWhenItIs() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      redis.kill();
      try (PawlProcess console = PawlProcess.start(redis.url(), "console", "--port", "0")) {
        HttpClient client = browser();
        URI page = get(client, address(console)).uri();
        console.awaitText("as soon as it answers");
        assertThat(console.soFar())
            .contains("the store cannot be reached: ", "" + redis.port())
            .doesNotContain("ready");
        assertThat(get(client, page + "api/v1/locks").statusCode()).isEqualTo(503);
        redis.startAgain();
        awaitOk(client, page + "api/v1/locks");
      }
    }
    Path file = directory.resolve("none/locks.db");
    try (PawlProcess console = PawlProcess.start("sqlite:" + file, "console", "--port", "0")) {
      HttpClient client = browser();
      URI page = get(client, address(console)).uri();
      console.awaitText("Ctrl-C ends it");
      assertThat(console.soFar())
          .contains(
              "does not exist yet: there is no file " + file,
              "no directory to create it in; create " + file.getParent())
          .doesNotContain("ready");
      assertThat(get(client, page + "api/v1/locks").body()).contains("\"total\":0");
    }
  }

  private static HttpClient browser() {
    return HttpClient.newBuilder()
        .followRedirects(HttpClient.Redirect.NORMAL)
        .cookieHandler(new java.net.CookieManager())
        .build();
  }

  private static void awaitOk(HttpClient client, String url) throws Exception {
    long end = System.nanoTime() + 60_000_000_000L;
    while (get(client, url).statusCode() != 200) {
      assertThat(System.nanoTime()).as(url).isLessThan(end);
    }
  }

  @Test
  void tlsIsByAKeyStoreAndItsPasswordInAFile() throws Exception {
    TlsIdentity.make(directory, "ip:127.0.0.1");
    String keys = directory.resolve("server.p12").toString();
    Path right = Files.writeString(directory.resolve("right"), TlsIdentity.PASSWORD + "\n");
    Path wrong = Files.writeString(directory.resolve("wrong"), "not-the-password");
    try (PawlProcess console =
        PawlProcess.start(
            store(),
            "console",
            "--port",
            "0",
            "--tls-keystore",
            keys,
            "--tls-password-file",
            "" + right)) {
      console.awaitText("https://127.0.0.1:");
    }
    Result refused =
        PawlProcess.run(
            store(), "console", "--tls-keystore", keys, "--tls-password-file", "" + wrong);
    assertThat(refused.code()).isEqualTo(64);
    assertThat(refused.err().strip().lines()).hasSize(1);
    assertThat(refused.err())
        .contains("the password does not open the key store " + keys)
        .doesNotContain("not-the-password");
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
          {"--users", directory.resolve("none").toString(), "--operators", "olga"},
          {"--operators", "olga"},
          {"--port", "70000"},
          {"--bind", "not.an.address.invalid"},
          {"--tls-keystore", directory.resolve("none").toString()},
          {"--tls-password-file", directory.resolve("none").toString()},
          {"--read-only", "--users", directory.resolve("none").toString()},
          {"--read-only", "--proxy-header", "X-User", "--proxies", "127.0.0.1"},
          {"--proxy-header", "X User", "--proxies", "127.0.0.1"},
          {"--host", "http://locks.example.com/"},
          {"--session", "0s"},
          {"--session", "400d"},
          {"--role", "operator"},
          {"--new-user", "a b"},
          {"--store", "memory:"},
        }) {
      String[] arguments = new String[options.length + 1];
      arguments[0] = "console";
      System.arraycopy(options, 0, arguments, 1, options.length);
      Result result = PawlCommand.run(store(), arguments);
      assertThat(result.code()).as(String.join(" ", options) + result.err()).isEqualTo(64);
      assertThat(result.err().strip().lines()).hasSize(1);
    }
  }

  @Test
  void anAddressOfAnotherHostIsSaidToBeOne() {
    Result result =
        PawlProcess.run(
            store(),
            "console",
            "--bind",
            "192.0.2.1",
            "--proxy-header",
            "X-User",
            "--proxies",
            "127.0.0.1");
    assertThat(result.code()).isEqualTo(69);
    assertThat(result.err())
        .contains("192.0.2.1", "--bind has to be an address of this host")
        .doesNotContain("--port 0");
  }

  @Test
  void filesByWhichOthersGetInAreWarnedOf() throws Exception {
    Path users = directory.resolve("users");
    Files.writeString(users, "olga:operator:$2a$12$" + "a".repeat(53) + "\n");
    Path key = Files.write(directory.resolve("key"), new byte[32]);
    String[] options = {
      "console", "--port", "0", "--users", "" + users, "--session-key", "" + key,
    };
    for (String mode : new String[] {"rw-rw-rw-", "rw-------"}) {
      Files.setPosixFilePermissions(users, PosixFilePermissions.fromString(mode));
      Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
      try (PawlProcess console = PawlProcess.start(store(), options)) {
        address(console);
        console.awaitText("Ctrl-C ends it");
        boolean open = mode.endsWith("rw-");
        assertThat(console.soFar().contains("everybody on this host may write " + users))
            .isEqualTo(open);
        assertThat(console.soFar().contains("everybody on this host may read " + key))
            .isEqualTo(open);
      }
    }
    Files.write(key, new byte[31]);
    Result result = PawlProcess.run(store(), options);
    assertThat(result.code()).isEqualTo(64);
    assertThat(result.err()).contains("" + key, "31 bytes", "head -c 32 /dev/urandom");
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
