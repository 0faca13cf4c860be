package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.access.Access;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Principal;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console on the server of an application, here a Tomcat, behind its own security. */
class MountTest {

  @TempDir Path directory;
  private Pawl pawl;
  private Tomcat tomcat;
  private String url;

  @BeforeEach
  void start() throws Exception {
    pawl = Pawl.builder("sqlite:" + directory.resolve("locks.db")).label("app@one").build();
    tomcat = new Tomcat();
    tomcat.setBaseDir(directory.toString());
    tomcat.setPort(0);
    Context context = tomcat.addContext("/shop", directory.toString());
    Wrapper wrapper =
        Tomcat.addServlet(
            context, "console", new ConsoleServlet(pawl, Access.ofContainer("OPERATOR")));
    wrapper.setAsyncSupported(true);
    wrapper.addMapping("/pawl/*");
    FilterDef security = new FilterDef();
    security.setFilterName("security");
    security.setFilter(new Security());
    security.setAsyncSupported("true");
    context.addFilterDef(security);
    FilterMap map = new FilterMap();
    map.setFilterName("security");
    map.addURLPattern("/*");
    context.addFilterMap(map);
    tomcat.getConnector();
    tomcat.start();
    url = "http://localhost:" + tomcat.getConnector().getLocalPort() + "/shop/pawl";
  }

  @AfterEach
  void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
    pawl.close();
  }

  /** What the application's security is here: who says who they are, is. */
  private static final class Security implements Filter {
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      HttpServletRequest http = (HttpServletRequest) request;
      String user = http.getHeader("X-Test-User");
      chain.doFilter(
          new HttpServletRequestWrapper(http) {
            @Override
            public Principal getUserPrincipal() {
              return user == null ? null : () -> user;
            }

            @Override
            public boolean isUserInRole(String role) {
              return role.equals("OPERATOR") && "olga".equals(user);
            }
          },
          response);
    }
  }

  private HttpRequest.Builder request(String path, String user) {
    return HttpRequest.newBuilder(URI.create(url + path)).header("X-Test-User", user);
  }

  @Test
  void thePageIsBelowItsPath() throws Exception {
    HttpResponse<String> bare = Fixture.send(request("", "olga"));
    assertThat(bare.statusCode()).isEqualTo(302);
    assertThat(bare.headers().firstValue("Location").orElseThrow()).endsWith("/shop/pawl/");
    assertThat(Fixture.send(request("/", "olga")).body()).contains("src=\"app.js\"");
    assertThat(Fixture.send(request("/app.js", "olga")).statusCode()).isEqualTo(200);
  }

  @Test
  void theApplicationSaysWhoItIs() throws Exception {
    assertThat(Fixture.send(request("/api/v1/session", "olga")).body())
        .contains("\"operator\":true");
    assertThat(Fixture.send(request("/api/v1/session", "victor")).body())
        .contains("\"operator\":false");
    HttpResponse<String> nobody =
        Fixture.send(HttpRequest.newBuilder(URI.create(url + "/api/v1/locks")));
    assertThat(nobody.statusCode()).isEqualTo(401);
  }

  @Test
  void anOperatorOfTheApplicationStepsIn() throws Exception {
    Lease lease = pawl.lock("stuck").acquire();
    String csrf =
        Fixture.json(Fixture.send(request("/api/v1/session", "olga")))
            .get("csrfToken")
            .getAsString();
    String body = "{\"token\":\"" + lease.token() + "\",\"reason\":\"it hangs\"}";
    for (String user : new String[] {"victor", "olga"}) {
      HttpResponse<String> response =
          Fixture.send(
              request("/api/v1/locks/stuck/release", user)
                  .header("Content-Type", "application/json")
                  .header("X-Pawl-Csrf", csrf)
                  .POST(HttpRequest.BodyPublishers.ofString(body)));
      assertThat(response.statusCode())
          .as(response.body())
          .isEqualTo(user.equals("olga") ? 200 : 403);
    }
    assertThat(pawl.inspector().journal("stuck", 9))
        .anyMatch(entry -> "olga".equals(entry.details().get("by")));
  }

  @Test
  void eventsComeWhileTheConnectionIsOpen() throws Exception {
    HttpResponse<java.io.InputStream> events =
        HttpClient.newHttpClient()
            .send(
                request("/api/v1/events?view=locks", "victor").build(),
                HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8));
        Lease lease = pawl.lock("seen").acquire()) {
      String line = lines.readLine();
      while (line != null && !line.contains("\"name\":\"seen\"")) {
        line = lines.readLine();
      }
      assertThat(line).contains("" + lease.token());
    }
  }
}
