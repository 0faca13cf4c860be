package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.security.config.Customizer.withDefaults;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The console in an application: on its server, under a path, behind its security. */
class ConsoleMountTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableWebSecurity
  static class App {

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .httpBasic(withDefaults())
          .csrf(csrf -> csrf.ignoringRequestMatchers("/ops/pawl/**"))
          .build();
    }

    @Bean
    UserDetailsService users() {
      return new InMemoryUserDetailsManager(
          User.withUsername("olga").password("{noop}secret").roles("OPERATOR").build(),
          User.withUsername("victor").password("{noop}secret").roles("SALES").build());
    }
  }

  private static ConfigurableApplicationContext context;
  private static Pawl pawl;
  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeAll
  static void start() {
    context =
        SpringApplication.run(
            App.class,
            "--spring.main.web-application-type=servlet",
            "--server.port=0",
            "--spring.datasource.url=jdbc:sqlite::memory:",
            "--pawl.store=memory:",
            "--pawl.label=orders-1",
            "--pawl.console.path=/ops/pawl");
    pawl = context.getBean(Pawl.class);
  }

  @AfterAll
  static void stop() {
    if (context != null) {
      context.close();
    }
  }

  private static HttpRequest.Builder request(String path, String user) {
    String port = context.getEnvironment().getProperty("local.server.port");
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ops/pawl" + path));
    String login =
        Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
    return user.isEmpty() ? builder : builder.header("Authorization", "Basic " + login);
  }

  private HttpResponse<String> get(String path, String user) throws Exception {
    return http.send(request(path, user).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void thePageIsUnderItsPathAndBehindTheSecurityOfTheApplication() throws Exception {
    for (String path : new String[] {"/", "/app.js", "/api/v1/session", "/api/v1/locks"}) {
      assertThat(get(path, "").statusCode()).as(path).isEqualTo(401);
      assertThat(get(path, "victor").statusCode()).as(path).isEqualTo(200);
    }
    assertThat(get("/", "olga").body()).contains("<title>Pawl</title>");
    assertThat(get("", "olga").headers().firstValue("Location").orElseThrow())
        .endsWith("/ops/pawl/");
    assertThat(get("/api/v1/session", "olga").body()).contains("\"operator\":true");
    assertThat(get("/api/v1/session", "victor").body()).contains("\"operator\":false");
  }

  @Test
  void anOperatorStepsInAndNobodyElse() throws Exception {
    Lease lease = pawl.lock("stuck").acquire();
    assertThat(release("victor", lease).statusCode()).isEqualTo(403);
    assertThat(pawl.inspector().find("stuck").orElseThrow().holders()).hasSize(1);
    HttpResponse<String> released = release("olga", lease);
    assertThat(released.statusCode()).as(released.body()).isEqualTo(200);
    assertThat(pawl.inspector().find("stuck").orElseThrow().holders()).isEmpty();
    assertThat(pawl.inspector().journal("stuck", 1).get(0).details()).containsEntry("by", "olga");
  }

  private HttpResponse<String> release(String user, Lease lease) throws Exception {
    Matcher token =
        Pattern.compile("\"csrfToken\":\"([^\"]+)\"").matcher(get("/api/v1/session", user).body());
    assertThat(token.find()).isTrue();
    String body = "{\"token\":\"" + lease.token() + "\",\"reason\":\"it hangs\"}";
    return http.send(
        request("/api/v1/locks/stuck/release", user)
            .header("Content-Type", "application/json")
            .header("X-Pawl-Csrf", token.group(1))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void anOpenPageIsToldOfChanges() throws Exception {
    HttpResponse<InputStream> events =
        http.send(
            request("/api/v1/events?view=locks", "victor").build(),
            HttpResponse.BodyHandlers.ofInputStream());
    assertThat(events.statusCode()).isEqualTo(200);
    try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8));
        Lease lease = pawl.lock("seen").acquire()) {
      assertThat(lines.lines().filter(line -> line.contains("\"name\":\"seen\"")).findFirst())
          .isPresent();
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void withoutAPathThereIsNone() {
    WebApplicationContextRunner runner =
        new WebApplicationContextRunner()
            .withPropertyValues("pawl.store=memory:")
            .withConfiguration(AutoConfigurations.of(autoConfigurations()));
    runner.run(app -> assertThat(app).hasNotFailed().doesNotHaveBean("pawlConsole"));
    runner
        .withPropertyValues("pawl.console.path=/pawl/")
        .run(app -> assertThat(app).hasNotFailed().hasBean("pawlConsole"));
    for (String path : new String[] {"pawl", "/pawl/*", "/", "/a b"}) {
      runner
          .withPropertyValues("pawl.console.path=" + path)
          .run(
              app ->
                  assertThat(app)
                      .getFailure()
                      .rootCause()
                      .hasMessageContaining("it has to be a path such as /pawl"));
    }
  }

  private static Class<?>[] autoConfigurations() {
    try {
      return new Class<?>[] {
        Class.forName("dev.pawl.spring.boot.PawlAutoConfiguration"),
        Class.forName("dev.pawl.spring.boot.PawlConsoleAutoConfiguration")
      };
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }
}
