package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A started {@code ./pawl}, as packaged by the build, and what it prints. */
public final class PawlProcess implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 180;

  /** What of the caller's environment would change what is printed, or where to. */
  private static final Pattern NOT_INHERITED =
      Pattern.compile("PAWL.*|NO_COLOR|COLUMNS|LINES|(JAVA_TOOL|JDK_JAVA|_JAVA)_OPTIONS");

  /**
   * What makes a command heed signals that a shell has a build in the background (INT) or under
   * {@code nohup} (HUP) ignore, and its children with it; nothing, where there is no such thing.
   */
  private static final List<String> HEEDING =
      Optional.of(List.of("env", "--default-signal=INT,HUP"))
          .filter(env -> works(Stream.concat(env.stream(), Stream.of("true")).toList()))
          .orElse(List.of());

  static {
    prepare();
  }

  private final Process process;
  private final StringWriter outSoFar = new StringWriter();
  private final StringWriter errSoFar = new StringWriter();
  private final CompletableFuture<String> out;
  private final CompletableFuture<String> err;

  private PawlProcess(Process process) {
    this.process = process;
    this.out = text(process.getInputStream(), outSoFar);
    this.err = text(process.getErrorStream(), errSoFar);
  }

  /** Has it start quickly, as it does for users, and for a third of the work: hundreds come. */
  private static void prepare() {
    ProcessBuilder builder = new ProcessBuilder(script().toString(), "--version");
    builder.environment().put("PAWL_BUILD", "prepare");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    try {
      builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
      builder.start().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is left of a process that has ended. */
  public record Result(int code, String out, String err) {}

  /** Starts {@code ./pawl} with that store in its environment. */
  public static PawlProcess start(String store, String... arguments) {
    return start(Map.of("PAWL_STORE", store), arguments);
  }

  /** Starts {@code ./pawl} with more variables in its environment. */
  public static PawlProcess start(Map<String, String> environment, String... arguments) {
    return startLine(
        environment, Stream.concat(Stream.of(script().toString()), Stream.of(arguments)).toList());
  }

  /** Returns what starts a line that heeds signals, also where this build was told not to. */
  public static ProcessBuilder heeding(String... line) {
    return new ProcessBuilder(Stream.concat(HEEDING.stream(), Stream.of(line)).toList());
  }

  private static PawlProcess startLine(Map<String, String> environment, List<String> line) {
    ProcessBuilder builder = heeding(line.toArray(String[]::new));
    builder.environment().keySet().removeIf(name -> NOT_INHERITED.matcher(name).matches());
    builder.environment().put("PAWL", script().toString());
    builder.environment().put("PAWL_BUILD", "never");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    try {
      return new PawlProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs {@code ./pawl} to its end with that store in its environment. */
  public static Result run(String store, String... arguments) {
    try (PawlProcess pawl = start(store, arguments)) {
      return pawl.await();
    }
  }

  /** Waits for the end. */
  public Result await() {
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("pawl has ended").isTrue();
      return new Result(process.exitValue(), out.get(), err.get());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until it has printed something, to either output. */
  public void awaitText(String text) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!soFar().contains(text)) {
      assertThat(System.nanoTime())
          .as("\"%s\" is printed, after %s", text, soFar())
          .isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  /** Returns what it has printed so far, to either output. */
  public String soFar() {
    return outSoFar.toString() + errSoFar;
  }

  /** Returns what it has printed so far. */
  public String outSoFar() {
    return outSoFar.toString();
  }

  /** Types keys, where its input is a terminal or a pipe. */
  public void type(String keys) {
    try {
      process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a line of shell on a terminal of its own, in which {@code $PAWL} is {@code ./pawl}; what
   * it prints to either output is in {@code out}.
   */
  public static PawlProcess startOnTerminal(Map<String, String> environment, String line) {
    return startLine(
        environment, List.of("script", "--quiet", "--return", "--command", line, "/dev/null"));
  }

  /** Starts a line of bash, in which {@code $PAWL} is {@code ./pawl}. */
  public static PawlProcess startBash(Map<String, String> environment, String line) {
    return startLine(environment, List.of("bash", "-c", line));
  }

  /**
   * Writes a file that can be run. Not by this JVM: a process that another of its threads starts
   * meanwhile would have the file open for writing, and nobody could run it ("Text file busy").
   */
  public static void writeScript(Path file, String text) throws IOException {
    String line = "cat > \"$0\" && chmod +x \"$0\"";
    Process writer = new ProcessBuilder("sh", "-c", line, file.toString()).start();
    try (Writer input = writer.outputWriter()) {
      input.write(text);
    }
    assertThat(writer.onExit().join().exitValue()).isZero();
  }

  /** Tells whether there is a terminal to start something on. */
  public static boolean hasTerminal() {
    return works(List.of("script", "--version"));
  }

  private static boolean works(List<String> command) {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException | InterruptedException e) {
      return false;
    }
  }

  /** Returns the process of the JVM: the script has become it. */
  public Process process() {
    return process;
  }

  /** Skips the test if the signal is ignored all the same: Java leaves such signals alone. */
  public void assumeHeeds(String signal) {
    int number = Map.of("HUP", 1, "INT", 2, "TERM", 15).get(signal);
    long bit = 1L << (number - 1);
    try (var lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
      assumeThat(
              lines
                  .filter(line -> line.startsWith("SigIgn:"))
                  .map(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                  .toList())
          .as("this build was started with %s ignored", signal)
          .noneMatch(ignored -> (ignored & bit) != 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a signal to the JVM: {@code KILL}, {@code STOP}, {@code CONT}, … */
  public void signal(String signal) {
    signal(process.pid(), signal);
  }

  /** Sends a signal to a process, or to the group of that number if it is negative. */
  public static void signal(long pid, String signal) {
    try {
      List<String> kill = List.of("kill", "-" + signal, "--", Long.toString(pid));
      assertThat(new ProcessBuilder(kill).inheritIO().start().waitFor()).as("%s", kill).isZero();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private static CompletableFuture<String> text(InputStream stream, StringWriter soFar) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            char[] part = new char[8192];
            for (int read = reader.read(part); read >= 0; read = reader.read(part)) {
              soFar.write(part, 0, read);
            }
            return soFar.toString();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        task -> {
          Thread thread = new Thread(task, "output of pawl");
          thread.setDaemon(true);
          thread.start();
        });
  }

  /** Returns the script of this checkout. */
  public static Path script() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.isExecutable(at.resolve("pawl")) && Files.exists(at.resolve("bom/pom.xml"))) {
        return at.resolve("pawl");
      }
    }
    throw new IllegalStateException("not inside a checkout");
  }
}
