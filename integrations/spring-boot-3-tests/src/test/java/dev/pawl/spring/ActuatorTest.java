package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.testservers.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Health and the endpoint, over HTTP, as an operator has them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ActuatorTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {}

  private final HttpClient http = HttpClient.newHttpClient();
  private ConfigurableApplicationContext application;

  @BeforeAll
  void begin() {
    application = start("--pawl.store=memory:", "--pawl.label=orders-1");
  }

  @AfterAll
  void end() {
    application.close();
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--spring.main.web-application-type=servlet",
                "--server.port=0",
                "--spring.datasource.url=jdbc:sqlite::memory:",
                "--management.endpoints.web.exposure.include=health,pawl",
                "--management.endpoint.health.show-details=always",
                "--management.health.db.enabled=false"));
    all.addAll(List.of(arguments));
    return SpringApplication.run(App.class, all.toArray(String[]::new));
  }

  private HttpResponse<String> send(
      ConfigurableApplicationContext context, String method, String path) throws Exception {
    String web = context.getEnvironment().getProperty("local.server.port");
    String port = context.getEnvironment().getProperty("local.management.port", web);
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void healthIsThatTheStoreAnswersAndHowFast() throws Exception {
    HttpResponse<String> health = send(application, "GET", "health");
    assertThat(health.statusCode()).isEqualTo(200);
    assertThat(health.body())
        .contains("\"pawl\":{", "\"store\":\"memory\"")
        .containsPattern("\"roundTrip\":\"\\d+\\.\\d ms\"");
  }

  /** On a port of its own, and in a group, as for a load balancer. */
  @Test
  void healthIsDownWhenTheStoreDoesNotAnswer() throws Exception {
    try (RedisServer redis = RedisServer.start();
        ConfigurableApplicationContext context =
            start(
                "--pawl.store=" + redis.url(),
                "--pawl.response-timeout=1s",
                "--management.server.port=0",
                "--management.endpoint.health.group.traffic.include=pawl,ping")) {
      // A second is not enough for a server that stands still on a busy machine.
      awaitHealthy(context, "health/traffic");
      awaitHealthy(context, "health");
      redis.kill();
      HttpResponse<String> health = send(context, "GET", "health");
      assertThat(health.statusCode()).isEqualTo(503);
      assertThat(health.body()).contains("\"pawl\":{").contains("\"status\":\"DOWN\"");
      assertThat(send(context, "GET", "health/traffic").statusCode()).isEqualTo(503);
    }
  }

  private void awaitHealthy(ConfigurableApplicationContext context, String path) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    HttpResponse<String> health = send(context, "GET", path);
    while (health.statusCode() != 200 && System.nanoTime() < end) {
      health = send(context, "GET", path);
    }
    assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
  }

  @Test
  void theEndpointShowsLocksAndJobs() throws Exception {
    Pawl pawl = application.getBean(Pawl.class);
    pawl.job("report").run(Instant.parse("2026-01-01T06:00:00Z"), run -> {});
    try (Lease lease = pawl.lock("invoice/42").acquire()) {
      String all = send(application, "GET", "pawl").body();
      assertThat(all)
          .contains(
              "\"node\":\"orders-1\"", "\"name\":\"invoice/42\"", "\"token\":" + lease.token())
          .contains("\"name\":\"report\"", "2026-01-01T06:00:00Z", "\"ending\":\"ran\"");
      assertThat(send(application, "GET", "pawl/invoice/42").body())
          .contains("\"holders\":[{", "orders-1");
      assertThat(send(application, "GET", "pawl/job:report").body()).contains("\"runs\":[{");
      assertThat(send(application, "GET", "pawl/nothing").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void metricsAreBound() throws Exception {
    application.getBean(Pawl.class).lock("a").acquire().close();
    assertThat(application.getBean(MeterRegistry.class).getMeters())
        .anyMatch(meter -> meter.getId().getName().startsWith("pawl."));
  }

  @Test
  void aForcedReleaseNeedsAccessToWrite() throws Exception {
    try (Lease lease = application.getBean(Pawl.class).lock("a").acquire()) {
      String release = "pawl/a?token=" + lease.token() + "&by=ann&reason=stuck";
      assertThat(send(application, "DELETE", release).statusCode()).isEqualTo(405);
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void aForcedReleaseTakesTheTokenThatWasSeen() throws Exception {
    try (ConfigurableApplicationContext context =
        start("--pawl.store=memory:", "--management.endpoint.pawl.access=unrestricted")) {
      Pawl pawl = context.getBean(Pawl.class);
      Lease lease = pawl.lock("a").acquire();
      String release = "pawl/a?by=ann&reason=stuck&token=";
      assertThat(send(context, "DELETE", release + (lease.token() + 1_000_000)).body())
          .contains("false");
      assertThat(lease.isHeld()).isTrue();
      assertThat(send(context, "DELETE", release + lease.token()).body()).contains("true");
      assertThat(pawl.inspector().find("a").orElseThrow().holders()).isEmpty();
      assertThat(pawl.inspector().journal("a", 1).get(0).details()).containsValue("ann");
      assertThat(context.getBeansOfType(Store.class)).isEmpty();
    }
  }
}
