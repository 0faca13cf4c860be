package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.UsersFile;
import dev.pawl.testservers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both languages are whole: each word is there, and no English sentence is left in the Chinese. */
class LanguageTest {

  private static final Path WEB = Path.of("src/main/resources/dev/pawl/console/web");
  private static final Path ROOT = Path.of("../..");

  @TempDir Path directory;

  private static Map<String, String> words(String language) throws IOException {
    Map<String, String> words = new TreeMap<>();
    Matcher matcher =
        Pattern.compile("(\\w+): \"([^\"]*)\"")
            .matcher(Files.readString(WEB.resolve("words-" + language + ".js")));
    while (matcher.find()) {
      assertThat(words.put(matcher.group(1), matcher.group(2))).as(matcher.group(1)).isNull();
    }
    return words;
  }

  private static List<String> placeholders(String words) {
    return Pattern.compile("\\{\\w+}")
        .matcher(words)
        .results()
        .map(r -> r.group())
        .sorted()
        .toList();
  }

  @Test
  void everyKeyIsInBothWithTheSameValues() throws Exception {
    Map<String, String> en = words("en");
    Map<String, String> zh = words("zh");
    assertThat(zh.keySet()).isEqualTo(en.keySet()).hasSizeGreaterThan(150);
    en.forEach(
        (key, words) -> {
          // What a store says is left out in Chinese, and shown on demand.
          List<String> expected = words.equals("{message}") ? List.of() : placeholders(words);
          assertThat(placeholders(zh.get(key))).as(key).isEqualTo(expected);
        });
  }

  @Test
  void everyKeyThatIsAskedForIsThere() throws Exception {
    Map<String, String> en = words("en");
    try (Stream<Path> files = Files.list(WEB)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".js")).toList()) {
        Matcher asked = Pattern.compile("\\bt\\(\"([^\"]+)\"").matcher(Files.readString(file));
        while (asked.find()) {
          assertThat(en).as(file.toString()).containsKey(asked.group(1));
        }
      }
    }
  }

  /** What the doctors of all stores say, as it is in their sources. */
  @Test
  void everyFindingOfEveryStoreHasAChineseOne() throws Exception {
    String known =
        Pattern.compile("\\[\"((?:[^\"\\\\]|\\\\.)*)\", \"")
            .matcher(Files.readString(WEB.resolve("findings-zh.js")))
            .results()
            .map(each -> each.group(1).replaceAll("\\{\\d}", "\n"))
            .reduce("", (all, each) -> all + "\n" + each);
    List<String> missing = new ArrayList<>();
    for (String place : new String[] {"core", "stores", "tools/console"}) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(place))) {
        for (Path file :
            files.filter(each -> each.toString().matches(".*/src/main/.*\\.java")).toList()) {
          for (String text : said(Files.readString(file), file.getFileName().toString())) {
            if (!known.contains(text) && !text.matches("\\S+ is \\S+|no answer within")) {
              missing.add(file.getFileName() + ": " + text);
            }
          }
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  private static List<String> said(String source, String file) {
    List<String> said = new ArrayList<>();
    boolean whole = file.endsWith("Examination.java") || file.equals("Probe.java");
    Matcher call = Pattern.compile("Finding\\.(?:fine|warning|unsafe)\\(").matcher(source);
    if (whole && call.find()) {
      literals(source, said);
    }
    while (!whole && call.find()) {
      int end = call.end();
      for (int depth = 1; depth > 0; end++) {
        depth += source.charAt(end) == '(' ? 1 : source.charAt(end) == ')' ? -1 : 0;
      }
      literals(source.substring(call.end(), end), said);
    }
    return said;
  }

  private static void literals(String source, List<String> into) {
    String joined = source.replaceAll("\"\\s*\\+\\s*\"", "");
    Matcher literal = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(joined);
    while (literal.find()) {
      for (String part : literal.group(1).split("%[.0-9]*[a-z]", -1)) {
        if (part.strip().matches(".*[a-z]+ [a-z]+ [a-z]+.*")) {
          into.add(part.strip());
        }
      }
    }
  }

  @Test
  void inChineseNoEnglishSentenceIsShown() throws Exception {
    String sqlite = "sqlite:" + directory.resolve("locks.db");
    Path users = directory.resolve("users");
    Files.writeString(users, UsersFile.line("olga", Role.OPERATOR, "secret".toCharArray()));
    try (Browser browser = Browser.start("zh-CN");
        RedisServer redis = RedisServer.start()) {
      try (Scene scene = Scene.ordinaryDay(sqlite);
          Fixture console = Fixture.start(sqlite, Fixture.OPERATOR)) {
        scene.node("billing@web-1:4120").inspector().pauseJob("cleanup", "olga@ops", "full");
        browser.open(console.link());
        for (String page :
            new String[] {
              "locks", "jobs", "nodes", "graph", "store", "audit", "locks/job%3Areport", "nothing"
            }) {
          browser.go(page);
          browser.await("read", () -> browser.all("[aria-busy]").isEmpty());
          assertThat(english(browser)).as(page).isEmpty();
        }
        for (String act : new String[] {"pause", "resume", "rerun"}) {
          browser.go("jobs");
          browser.click("[data-act='" + act + "']");
          browser.find("dialog[open]");
          assertThat(english(browser)).as(act).isEmpty();
          browser.run("document.querySelector('dialog').close()");
        }
        browser.go("locks/report%3Amonthly");
        browser.click("[data-release]");
        browser.type("#reason", "x");
        browser.run(
            "const f = fetch; window.fetch = (u, o) => f(u, {...o, body: o?.body?.replace(/\\d+/, '1')})");
        browser.click("#confirm");
        browser.awaitText("持有者在此期间已变更");
        browser.awaitText("现在由 reports@batch-1:977 持有");
        assertThat(english(browser)).as("refused").isEmpty();
      }
      try (Pawl pawl = Pawl.connect(redis.url());
          Lease lease = pawl.lock("seen").acquire();
          Fixture console = Fixture.start(redis.url(), Fixture.OPERATOR)) {
        browser.open(console.link());
        browser.go("store");
        browser.awaitText("主服务器");
        assertThat(english(browser)).as("doctor of Redis").isEmpty();
        redis.kill();
        browser.go("locks");
        browser.find("#store-gone");
        assertThat(english(browser)).as("store gone").isEmpty();
        browser.run("document.querySelector('#store-gone summary').click()");
        browser.awaitText("127.0.0.1:" + redis.port());
        assertThat(lease.name()).isEqualTo("seen");
      }
      try (Fixture console =
          Fixture.start(
              () -> Pawl.connect("memory:"),
              new PasswordAccess(UsersFile.read(users)),
              Fixture.sessions(Duration.ofHours(1)),
              0)) {
        browser.open(console.url());
        browser.type("#user", "olga");
        for (String expected : new String[] {"用户名或密码错误", "秒后重试"}) {
          browser.await(
              expected,
              () -> {
                browser.find("#password").clear();
                browser.type("#password", "wrong");
                browser.click("form button");
                return browser.text().contains(expected);
              });
          assertThat(english(browser)).as(expected).isEmpty();
        }
      }
    }
  }

  /** Returns what reads like English, without what is data: names, labels, reasons, commands. */
  private static List<?> english(Browser browser) {
    return (List<?>)
        browser.run(
            """
            const found = [];
            const look = (text) => { if (/[A-Za-z']+[ ,:;]+[a-z']+[ ,:;]+[a-z']+/.test(text ?? "")) found.push(text); };
            const data = (e) => e.closest("code, svg, .command, [lang=en], noscript, script") || (e.closest("bdi") && !e.closest(".finding"));
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
              if (!data(node.parentElement)) look(node.data);
            }
            for (const e of document.querySelectorAll("[title], [placeholder], [aria-label]")) {
              if (data(e)) continue;
              for (const name of ["title", "placeholder", "aria-label"]) look(e.getAttribute(name));
            }
            return found;
            """);
  }
}
