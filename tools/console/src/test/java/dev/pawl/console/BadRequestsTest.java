package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two hundred requests that are wrong, each in its way: refused, and without a stack trace. */
class BadRequestsTest {

  @TempDir Path directory;

  @Test
  void eachIsRefusedAndNoneShowsATrace() throws Exception {
    String url = "sqlite:" + directory.resolve("locks.db");
    try (Pawl pawl = Pawl.builder(url).label("app@one").build();
        Lease lease = pawl.lock("kept").acquire();
        Fixture console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
      String csrf = console.ask("session").get("csrfToken").getAsString();
      List<String> requests = new Requests(console.cookie(), csrf, lease.token()).all();
      assertThat(requests).hasSizeGreaterThan(200).doesNotHaveDuplicates();
      List<String> wrong = new ArrayList<>();
      for (String request : requests) {
        String answer = send(console.port(), request);
        int status =
            answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : -1;
        if (status < 400
            || status > 499
            || answer.contains("\tat ")
            || answer.contains("java.")
            || answer.contains("Exception")
            || answer.contains("jetty")) {
          wrong.add(
              request.lines().findFirst().orElse("")
                  + " -> "
                  + answer.lines().findFirst().orElse("closed")
                  + answer.substring(Math.max(0, answer.length() - 80)));
        }
      }
      assertThat(wrong).isEmpty();
      assertThat(console.ask("locks/kept").get("holderCount").getAsInt()).isEqualTo(1);
      assertThat(console.watch.inspector().jobControls(10)).isEmpty();
    }
  }

  private static String send(int port, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(30_000);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
          answer.write(b);
        }
      } catch (java.net.SocketException e) {
        // Refused before all of it was sent, and closed.
        assertThat(answer.size()).as(request.substring(0, 60)).isPositive();
      }
      return answer.toString(StandardCharsets.ISO_8859_1);
    }
  }

  private record Requests(String cookie, String csrf, long token) {

    List<String> all() {
      List<String> all = new ArrayList<>();
      methods(all);
      paths(all);
      parameters(all);
      bodies(all);
      jobs(all);
      malformed(all);
      return all;
    }

    private void methods(List<String> all) {
      for (String method :
          List.of("PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "PROPFIND", "FOO", "get")) {
        for (String path :
            List.of(
                "/",
                "/app.js",
                "/open",
                "/api/v1/locks",
                "/api/v1/jobs",
                "/api/v1/events",
                "/api/v1/doctor",
                "/api/v1/locks/kept",
                "/api/v1/locks/kept/release",
                "/api/v1/jobs/report/pause",
                "/api/v1/jobs/report/rerun")) {
          all.add(head(method, path) + "\r\n");
        }
      }
      for (String path : List.of("/", "/api/v1/locks", "/api/v1/jobs", "/api/v1/audit", "/open")) {
        all.add(post(path, "application/json", "{}"));
      }
      all.add(head("GET", "/api/v1/locks/kept/release") + "\r\n");
    }

    private void paths(List<String> all) {
      for (String path :
          List.of(
              "/nothing",
              "/..",
              "/../etc/passwd",
              "/%2e%2e/%2e%2e/etc/passwd",
              "/..%2f..%2fx",
              "/web/index.html",
              "/index.html/",
              "/app.js/x",
              "/APP.JS",
              "/.git",
              "/app.js%00",
              "/app.js;x",
              "//app.js",
              "/api",
              "/api/",
              "/api/v1",
              "/api/v1/",
              "/api/v2/locks",
              "/api/v1/nothing",
              "/api/v1/locks/",
              "/api/v1/locks/a/b",
              "/api/v1/locks/%zz",
              "/api/v1/locks/%",
              "/api/v1/locks/%f",
              "/api/v1/locks/%ff",
              "/api/v1/locks/%c3%28",
              "/api/v1/locks/%00",
              "/api/v1/locks/%0a",
              "/api/v1/locks/%20",
              "/api/v1/locks/~",
              "/api/v1/locks/~!!",
              "/api/v1/locks/~_w",
              "/api/v1/locks/~AA",
              "/api/v1/locks/" + "a".repeat(256),
              "/api/v1/locks/~" + "YWFh".repeat(100),
              "/api/v1/jobs/x",
              "/api/v1/session/x",
              "/api/v1/events/x",
              "/api/v1/%6cocks%2f",
              "/open?token=",
              "/open?token=x&token=y",
              "/open?token=" + "x".repeat(5000),
              "/" + "a".repeat(9000),
              "/?" + "a".repeat(9000),
              "/%",
              "/%u0041",
              "/\u00ff")) {
        all.add(head("GET", path) + "\r\n");
      }
    }

    private void parameters(List<String> all) {
      for (String query :
          List.of(
              "limit=0",
              "limit=-1",
              "limit=501",
              "limit=x",
              "limit=",
              "limit=1e3",
              "limit=99999999999",
              "limit=1&limit=2",
              "offset=-1",
              "offset=x",
              "offset=1000001",
              "sort=evil",
              "sort=",
              "sort=NAME",
              "sort=name&sort=name",
              "order=up",
              "order=",
              "order=ASC",
              "filter=" + "x".repeat(301),
              "filter=a&filter=b",
              "filter=%ff",
              "filter=%zz",
              "filter=%")) {
        all.add(head("GET", "/api/v1/locks?" + query) + "\r\n");
      }
      for (String query :
          List.of(
              "",
              "view=",
              "view=evil",
              "view=locks&view=jobs",
              "view=lock",
              "view=lock&name=",
              "view=lock&name=%00",
              "view=lock&name=" + "x".repeat(256),
              "view=locks&limit=0",
              "view=locks&sort=x",
              "view=LOCKS")) {
        all.add(head("GET", "/api/v1/events?" + query) + "\r\n");
      }
    }

    private void bodies(List<String> all) {
      String path = "/api/v1/locks/kept/release";
      String good = "{\"token\":\"" + token + "\",\"reason\":\"x\"}";
      for (String body :
          List.of(
              "",
              "{}",
              "[]",
              "null",
              "1",
              "\"x\"",
              "{",
              "}",
              "{\"token\"}",
              "{\"token\":}",
              "{\"token\":1,\"reason\":\"x\"}",
              "{\"token\":\"1\"}",
              "{\"reason\":\"x\"}",
              "{\"token\":\"\",\"reason\":\"x\"}",
              "{\"token\":\"x\",\"reason\":\"x\"}",
              "{\"token\":\"1.5\",\"reason\":\"x\"}",
              "{\"token\":\"99999999999999999999\",\"reason\":\"x\"}",
              "{\"token\":\"1\",\"reason\":\"\"}",
              "{\"token\":\"1\",\"reason\":null}",
              "{\"token\":\"1\",\"reason\":\"\\u0000\"}",
              "{\"token\":\"1\",\"reason\":\"\\q\"}",
              "{\"token\":\"1\",\"token\":\"2\",\"reason\":\"x\"}",
              good + good,
              good + "x",
              "{\"token\":\"1\",\"reason\":\"x\",\"by\":\"root\"}",
              "\u00ff\u00fe",
              "[".repeat(4000),
              "{\"token\":\"1\",\"reason\":\"" + "x".repeat(501) + "\"}",
              "x".repeat(8193),
              "{\"token\":\"" + (token + 1_000_000) + "\",\"reason\":\"x\"}")) {
        all.add(post(path, "application/json", body));
      }
      for (String type :
          List.of(
              "text/plain",
              "application/x-www-form-urlencoded",
              "multipart/form-data",
              "json",
              "application/json; charset=latin1",
              "")) {
        all.add(post(path, type, good));
      }
      for (String wrong : List.of("", "x", csrf + "x", csrf.substring(1))) {
        all.add(post(path, "application/json", good).replace(csrf, wrong));
      }
      all.add(post(path, "application/json", good).replace(cookie, "x=y"));
      for (String body : List.of("{}", "{\"user\":\"x\",\"password\":\"y\"}", "x")) {
        all.add(post("/api/v1/session", "application/json", body));
      }
    }

    private void jobs(List<String> all) {
      String reason = "{\"reason\":\"x\"}";
      for (String path :
          List.of(
              "/api/v1/jobs//pause",
              "/api/v1/jobs/%00/pause",
              "/api/v1/jobs/%zz/pause",
              "/api/v1/jobs/~/resume",
              "/api/v1/jobs/~!!/rerun",
              "/api/v1/jobs/" + "a".repeat(256) + "/pause",
              "/api/v1/jobs/report/pause/",
              "/api/v1/jobs/report/pause/x",
              "/api/v1/jobs/report/PAUSE",
              "/api/v1/jobs/report/delete",
              "/api/v1/jobs/report/",
              "/api/v1/jobs/report/resume")) {
        all.add(post(path, "application/json", reason));
      }
      for (String verb : List.of("pause", "resume", "rerun", "withdraw")) {
        String path = "/api/v1/jobs/report/" + verb;
        for (String body :
            List.of(
                "",
                "{}",
                "[]",
                "{\"reason\":\"\"}",
                "{\"reason\":1}",
                "{\"reason\":\"\\u0007\"}",
                "{\"reason\":\"" + "x".repeat(501) + "\"}",
                "{\"reason\":\"x\",\"by\":\"root\"}",
                "x".repeat(8193))) {
          all.add(post(path, "application/json", body));
        }
        all.add(post(path, "text/plain", reason));
        all.add(post(path, "application/json", reason).replace(csrf, "forged"));
        all.add(post(path, "application/json", reason).replace(cookie, "x=y"));
        all.add(head("GET", path) + "\r\n");
      }
      for (String verb : List.of("rerun", "withdraw")) {
        for (String tick :
            List.of(
                "",
                "x",
                "2026",
                "2026-13-01T00:00:00Z",
                "+1000000000-12-31T23:59:59.999999999Z",
                "-1000000000-01-01T00:00:00Z",
                "2026-01-01T00:00:00",
                "2026-01-01T00:00:00Z")) {
          all.add(
              post(
                  "/api/v1/jobs/report/" + verb,
                  "application/json",
                  "{\"tick\":\"" + tick + "\",\"reason\":\"x\"}"));
        }
      }
    }

    private void malformed(List<String> all) {
      String host = "Host: localhost\r\n";
      all.addAll(
          List.of(
              "GET\r\n\r\n",
              "GET /\r\n\r\n\r\n",
              " / HTTP/1.1\r\n\r\n",
              "GET / HTTP/9.9\r\n" + host + "\r\n",
              "GET / FTP/1.1\r\n" + host + "\r\n",
              "GET / HTTP/1.1\r\n\r\n",
              "GET / HTTP/1.1\r\n" + host + host + "\r\n",
              "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
              "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
              "GET / HTTP/1.1\r\nHost: \r\n\r\n",
              "GET / HTTP/1.1\r\n" + host + "no colon\r\n\r\n",
              "GET / HTTP/1.1\r\n" + host + ": x\r\n\r\n",
              "GET / HTTP/1.1\r\n" + host + "A: \u0000\r\n\r\n",
              "GET / HTTP/1.1\r\n" + host + "A: " + "x".repeat(9000) + "\r\n\r\n",
              "GET / HTTP/1.1\r\n" + host + "A: x\r\n".repeat(2000) + "\r\n",
              "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
              "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
              "POST / HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n",
              "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
              "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: x\r\n\r\n",
              "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
              "\u0000\u0001\u0002\r\n\r\n",
              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    }

    private String head(String method, String path) {
      return method
          + " "
          + path
          + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: "
          + cookie
          + "\r\nX-Pawl-Csrf: "
          + csrf
          + "\r\n";
    }

    private String post(String path, String type, String body) {
      return head("POST", path)
          + (type.isEmpty() ? "" : "Content-Type: " + type + "\r\n")
          + "Content-Length: "
          + body.length()
          + "\r\n\r\n"
          + body;
    }
  }
}
