package dev.pawl.cli.pair;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;
import dev.pawl.testkit.StoreConformance;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The conformance suite on a pair of servers, Redis and PostgreSQL. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServersConformance extends StoreConformance {

  private RedisServer redis;
  private PostgresServer postgres;
  private String url;

  @BeforeAll
  void start() throws Exception {
    redis = RedisServer.start();
    postgres = PostgresServer.start("max_connections=400");
    url = redis.url() + " | " + postgres.url() + "&pawl.retention=1s&pawl.poolSize=4";
    prepare(url);
  }

  /** Brings the pair into the mode that is tried. */
  abstract void prepare(String pair) throws Exception;

  @AfterAll
  void stop() {
    postgres.close();
    redis.close();
  }

  @Override
  protected LockStore open() {
    return StoreProvider.forUrl(url).open(url);
  }

  /** A node counts on from when it has read the clock, which it knows to a round trip. */
  @Override
  protected Duration clockTolerance() {
    return Duration.ofSeconds(1);
  }

  @Override
  protected Duration patience() {
    return Duration.ofSeconds(20);
  }
}
