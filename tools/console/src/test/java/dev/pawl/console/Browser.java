package dev.pawl.console;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LoggingPreferences;

/** The system's Chromium, without a window. */
final class Browser implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Starts one; where the system has none, the test is skipped and says so. */
  static Browser start(String language) {
    return start(language, Map.of());
  }

  /** Starts one that keeps no cookies, nor anything else for a page. */
  static Browser startWithoutCookies() {
    return start("en", Map.of("profile.default_content_setting_values.cookies", 2));
  }

  private static Browser start(String language, Map<String, Object> preferences) {
    Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
    Optional<Path> chromedriver = onPath("chromedriver");
    Assumptions.assumeTrue(
        chromium.isPresent() && chromedriver.isPresent(),
        "skipped: there is no Chromium with a chromedriver on the path (Debian: chromium,"
            + " chromium-driver)");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.get().toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        "--force-prefers-reduced-motion",
        "--lang=" + language,
        "--accept-lang=" + language,
        "--window-size=1280,860");
    options.setExperimentalOption("prefs", preferences);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable("browser", Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(new File(chromedriver.get().toString()))
            .usingAnyFreePort()
            .build();
    ChromeDriver driver = new ChromeDriver(service, options);
    driver.manage().timeouts().scriptTimeout(PATIENCE.multipliedBy(2));
    return new Browser(driver);
  }

  private static Optional<Path> onPath(String... names) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(names)
        .flatMap(name -> Stream.of(path.split(":")).map(each -> Path.of(each, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  ChromeDriver driver() {
    return driver;
  }

  void open(String url) {
    driver.get(url);
  }

  /** Goes to another page of the console, and waits until that is the one that is drawn. */
  void go(String page) {
    run("location.hash = arguments[0]", "#/" + page);
    await(
        page + " is not drawn",
        () ->
            Boolean.TRUE.equals(
                run("return document.getElementById('main').dataset.page === location.hash")));
  }

  /** Makes the page that wide, however small a window the system allows. */
  void width(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  WebElement find(String css) {
    return waitFor("no " + css, () -> all(css).stream().findFirst());
  }

  /** Asks again and again until there is an answer; what is drawn anew meanwhile is no answer. */
  private <T> T waitFor(String otherwise, Supplier<Optional<T>> question) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        Optional<T> answer = question.get();
        if (answer.isPresent()) {
          return answer.get();
        }
      } catch (StaleElementReferenceException e) {
        LockSupport.parkNanos(1); // Asked again below.
      }
      if (System.nanoTime() > end) {
        throw new AssertionError(otherwise + " in: " + text() + "\n" + problems());
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  List<WebElement> all(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  /** Clicks, and again if it was drawn anew meanwhile. */
  void click(String css) {
    waitFor(
        "cannot click " + css,
        () -> {
          find(css).click();
          return Optional.of(true);
        });
  }

  void type(String css, String text) {
    find(css).sendKeys(text);
  }

  String text() {
    return String.valueOf(driver.executeScript("return document.body.innerText"));
  }

  void awaitText(String text) {
    await("no \"" + text + "\"", () -> text().contains(text));
  }

  void awaitNoText(String text) {
    await("still \"" + text + "\"", () -> !text().contains(text));
  }

  void await(String otherwise, BooleanSupplier state) {
    waitFor(otherwise, () -> state.getAsBoolean() ? Optional.of(true) : Optional.empty());
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** Returns what the browser complains of: errors of scripts, and what the CSP has stopped. */
  List<String> problems() {
    return driver.manage().logs().get("browser").getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        // A refusal is an answer: 401, 403 and 409 are what some of the tests are about.
        .filter(message -> !message.contains("the server responded with a status of 4"))
        .filter(message -> !message.contains("net::ERR_"))
        .toList();
  }

  byte[] screenshot() {
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
