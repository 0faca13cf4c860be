package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.console.access.Access;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.User;
import dev.pawl.console.access.UsersFile;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of users, and what becomes of sessions when it is another one. */
class UsersTest {

  @TempDir Path directory;

  /** As after a restart with the same key, when somebody has changed the file meanwhile. */
  @Test
  void aSessionOfWhoIsGoneOrHasAnotherRoleDoesNotCount() throws Exception {
    Path file = directory.resolve("users");
    Files.writeString(file, UsersFile.line("olga", Role.VIEWER, "secret".toCharArray()));
    Sessions sessions = Fixture.sessions(Duration.ofHours(1));
    for (Access access :
        List.of(
            new PasswordAccess(UsersFile.read(file)),
            new LinkAccess(new User("olga", Role.VIEWER)))) {
      try (Fixture console = Fixture.start(() -> Pawl.connect("memory:"), access, sessions, 0)) {
        assertThat(status(console, new User("olga", Role.VIEWER))).isEqualTo(200);
        assertThat(status(console, new User("olga", Role.OPERATOR))).isEqualTo(401);
        assertThat(status(console, new User("victor", Role.VIEWER))).isEqualTo(401);
      }
    }
  }

  private static int status(Fixture console, User user) throws Exception {
    return Fixture.send(
            HttpRequest.newBuilder(URI.create(console.url() + "api/v1/session"))
                .header("Cookie", console.sessions.cookie() + "=" + console.sessions.issue(user)))
        .statusCode();
  }

  @Test
  void aFileOfUsersThatIsMalformedIsRefusedWithTheReason() throws Exception {
    Path file = directory.resolve("users");
    String line = UsersFile.line("olga", Role.VIEWER, "secret".toCharArray());
    for (Map.Entry<String, String> each :
        Map.of(
                "",
                "has no user in it",
                "olga:admin:x",
                "line 1 is not NAME:viewer:HASH",
                line + "\n" + line,
                "line 2: olga is there twice",
                "# \u00e9",
                "is not text in UTF-8")
            .entrySet()) {
      Files.writeString(file, each.getKey(), StandardCharsets.ISO_8859_1);
      assertThatThrownBy(() -> UsersFile.read(file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(each.getValue());
    }
  }
}
