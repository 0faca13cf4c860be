package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairedStore;
import dev.pawl.testservers.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Health and metrics of a primary and its backup, as an operator has them. */
class PairActuatorTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {}

  private interface Condition {
    boolean isMet() throws Exception;
  }

  private final HttpClient http = HttpClient.newHttpClient();

  private static ConfigurableApplicationContext start(
      RedisServer primary, RedisServer backup, String options) {
    return SpringApplication.run(
        App.class,
        "--spring.main.web-application-type=servlet",
        "--server.port=0",
        "--spring.datasource.url=jdbc:sqlite::memory:",
        "--management.endpoints.web.exposure.include=health",
        "--management.endpoint.health.show-details=always",
        "--management.health.db.enabled=false",
        "--management.health.redis.enabled=false",
        "--pawl.store="
            + primary.url()
            + "?timeout=500ms | "
            + backup.url()
            + "?timeout=500ms | "
            + options);
  }

  private HttpResponse<String> health(ConfigurableApplicationContext context) throws Exception {
    String port = context.getEnvironment().getProperty("local.server.port");
    URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/health");
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static void await(Condition condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.isMet()) {
      assertThat(System.nanoTime() - start).as("waited").isLessThan(TimeUnit.MINUTES.toNanos(1));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private boolean isHealthyIn(ConfigurableApplicationContext context, String mode)
      throws Exception {
    HttpResponse<String> health = health(context);
    return health.statusCode() == 200 && health.body().contains("\"mode\":\"" + mode + "\"");
  }

  private boolean isDownFor(ConfigurableApplicationContext context, String reason)
      throws Exception {
    HttpResponse<String> health = health(context);
    return health.statusCode() == 503 && health.body().contains(reason);
  }

  private static double isIn(ConfigurableApplicationContext context, String mode) {
    return context.getBean(MeterRegistry.class).get("pawl.mode").tags("mode", mode).gauge().value();
  }

  private static void move(Pawl pawl, Mode to) {
    PairedStore pair = (PairedStore) pawl.store();
    pair.status()
        .thenCompose(seen -> pair.move(seen, to, "ann", "a test"))
        .toCompletableFuture()
        .join();
  }

  @Test
  void theModeIsSeenAndChanges() throws Exception {
    try (RedisServer primary = RedisServer.start();
        RedisServer backup = RedisServer.start();
        ConfigurableApplicationContext context =
            start(primary, backup, "mode-lease=30s&dead-after=15s&return-after=1s")) {
      Pawl pawl = context.getBean(Pawl.class);
      await(() -> isHealthyIn(context, "primary"));
      assertThat(isIn(context, "primary")).isEqualTo(1);
      assertThat(isIn(context, "backup")).isZero();
      move(pawl, Mode.BACKUP);
      await(() -> isHealthyIn(context, "backup"));
      assertThat(isIn(context, "backup")).isEqualTo(1);
      assertThat(isIn(context, "primary")).isZero();
      primary.kill();
      assertThat(health(context).statusCode()).as("the backup has the locks").isEqualTo(200);
      try (Lease lease = pawl.lock("x").acquire()) {
        assertThat(lease.isHeld()).isTrue();
      }
    }
  }

  @Test
  void healthIsDownWhenTheBackupIsAwayForLongerThanAModeLeaseThoughThePrimaryIsWell()
      throws Exception {
    try (RedisServer primary = RedisServer.start();
        RedisServer backup = RedisServer.start();
        ConfigurableApplicationContext context =
            start(primary, backup, "mode-lease=3s&dead-after=15s&return-after=1s")) {
      await(() -> isHealthyIn(context, "primary"));
      backup.pause();
      await(() -> isDownFor(context, "for a mode lease"));
      backup.resume();
      await(() -> isHealthyIn(context, "primary"));
    }
  }
}
