package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.UsersFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A browser that keeps no cookies: the page says so, and what to do. */
class CookiesBrowserTest {

  private static final String HINT = "Allow them for this address";

  @TempDir Path directory;

  @Test
  void whoKeepsNoCookiesIsToldWhyHeDoesNotGetIn() throws Exception {
    Path users = directory.resolve("users");
    Files.writeString(users, UsersFile.line("olga", Role.OPERATOR, "secret".toCharArray()));
    try (Browser browser = Browser.startWithoutCookies();
        Fixture byLink = Fixture.start("memory:", Fixture.OPERATOR);
        Fixture byPassword =
            Fixture.start(
                () -> Pawl.connect("memory:"),
                new PasswordAccess(UsersFile.read(users)),
                Fixture.sessions(Duration.ofHours(1)),
                0)) {
      browser.open(byLink.link());
      browser.awaitText(HINT);
      browser.open(byPassword.url());
      browser.awaitText(HINT);
      assertThat(browser.all("#password")).isEmpty();
      // What it would keep for the person, it forgets with the page, and works until then.
      browser.click("#theme");
      browser.click("#language");
      browser.awaitText("请为该地址允许 Cookie");
      assertThat(browser.problems()).isEmpty();
    }
  }
}
