package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.watch.Await;
import dev.pawl.testservers.RedisServer;
import org.junit.jupiter.api.Test;

/** The password of the store stays on the server, also when the store is gone. */
class SecretTest {

  private static final String[] PATHS = {"session", "locks", "jobs", "nodes", "audit", "doctor"};

  @Test
  void noAnswerHasTheStoresPasswordInIt() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      redis.call("CONFIG", "SET", "requirepass", "geheim");
      String url = redis.url().replace("redis://", "redis://:geheim@");
      try (Pawl pawl = Pawl.connect(url);
          Lease lease = pawl.lock("seen").acquire();
          Fixture console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
        for (String path : PATHS) {
          assertThat(console.ask(path).toString()).as(path).doesNotContain("geheim");
        }
        redis.kill();
        Await.until(() -> console.get("api/v1/locks").statusCode() == 503);
        for (String path : PATHS) {
          assertThat(console.get("api/v1/" + path).body()).as(path).doesNotContain("geheim");
        }
        assertThat(lease.name()).isEqualTo("seen");
      }
    }
  }
}
