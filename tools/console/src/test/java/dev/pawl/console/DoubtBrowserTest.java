package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.watch.Await;
import dev.pawl.testservers.RedisServer;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A store that is silent in the middle of an intervention: nobody calls that a failure (I11). */
class DoubtBrowserTest {

  @Test
  void whatMayHaveBeenDoneIsNotCalledFailed() throws Exception {
    try (Browser browser = Browser.start("en");
        RedisServer redis = RedisServer.start();
        Pawl pawl = Pawl.builder(redis.url()).label("app@one").build();
        Fixture console = Fixture.start(redis.url(), Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
      Lease lease = pawl.lock("stuck").acquire();
      browser.open(console.link());
      browser.go("locks/stuck");
      browser.click("[data-release='" + lease.token() + "']");
      browser.type("#reason", "it hangs");
      redis.pause();
      browser.click("#confirm");
      browser.awaitText("nobody knows whether it was done");
      assertThat(browser.find("dialog").getText()).doesNotContain("It failed");
      HttpResponse<String> answer = release(console, lease);
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("\"reason\":\"outcome-unknown\"");
      redis.resume();
      // Somebody who goes elsewhere is not asked any more about what he does not see.
      browser.run("location.hash = '#/locks'");
      browser.await("a dialog", () -> browser.all("dialog").isEmpty());
      // Once more does no harm: it is done now, or it was.
      Await.until(() -> List.of(200, 409).contains(release(console, lease).statusCode()));
      browser.awaitText("Nobody holds a lock");
    }
  }

  private static HttpResponse<String> release(Fixture console, Lease lease) throws Exception {
    return console.post(
        "api/v1/locks/stuck/release",
        "{\"token\":\"" + lease.token() + "\",\"reason\":\"it hangs\"}");
  }
}
