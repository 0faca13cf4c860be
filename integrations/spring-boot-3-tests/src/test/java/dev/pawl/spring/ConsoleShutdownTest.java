package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.console.ConsoleServlet;
import dev.pawl.console.access.Access;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that ends, or is paused, while pages of its console are open. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsoleShutdownTest {

  /** Everybody is Olga here; the console is under a context path, by a bean of the application. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {

    @Bean
    Filter security() {
      return (request, response, chain) ->
          chain.doFilter(
              new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public Principal getUserPrincipal() {
                  return () -> "olga";
                }
              },
              response);
    }

    @Bean
    ServletRegistrationBean<ConsoleServlet> console(Pawl pawl) {
      return new ServletRegistrationBean<>(
          new ConsoleServlet(pawl, Access.ofContainer("OPERATOR")), "/pawl/*");
    }
  }

  /** Longer than the test may take: a server that waits for the pages does not end in time. */
  private static ConfigurableApplicationContext start() {
    return SpringApplication.run(
        App.class,
        "--spring.main.web-application-type=servlet",
        "--server.port=0",
        "--server.servlet.context-path=/shop",
        "--server.shutdown=graceful",
        "--spring.lifecycle.timeout-per-shutdown-phase=10m",
        "--spring.datasource.url=jdbc:sqlite::memory:",
        "--pawl.store=memory:");
  }

  private static BufferedReader page(ConfigurableApplicationContext app) throws Exception {
    String port = app.getEnvironment().getProperty("local.server.port");
    URI uri = URI.create("http://127.0.0.1:" + port + "/shop/pawl/api/v1/events?view=locks");
    HttpResponse<InputStream> events =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream());
    assertThat(events.statusCode()).isEqualTo(200);
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8));
    assertThat(lines.readLine()).startsWith("event: ");
    return lines;
  }

  @Test
  void aGracefulShutdownDoesNotWaitForOpenPages() throws Exception {
    ConfigurableApplicationContext app = start();
    try (BufferedReader first = page(app);
        BufferedReader second = page(app)) {
      app.close();
      assertThat(app.isActive()).isFalse();
      first.lines().forEach(line -> {}); // Both have an end.
      second.lines().forEach(line -> {});
    }
  }

  @Test
  void pagesOpenAgainInAnApplicationThatWasPaused() throws Exception {
    try (ConfigurableApplicationContext app = start()) {
      try (BufferedReader lines = page(app)) {
        app.stop();
        lines.lines().forEach(line -> {});
      }
      app.start();
      page(app).close();
    }
  }
}
