package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A started {@code ./pawl}, as packaged by the build, and what it prints. */
public final class PawlProcess implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final CompletableFuture<String> out;
  private final CompletableFuture<String> err;

  private PawlProcess(Process process) {
    this.process = process;
    this.out = text(process.getInputStream());
    this.err = text(process.getErrorStream());
  }

  /** What is left of a process that has ended. */
  public record Result(int code, String out, String err) {}

  /** Starts {@code ./pawl} with that store in its environment. */
  public static PawlProcess start(String store, String... arguments) {
    return start(Map.of("PAWL_STORE", store), arguments);
  }

  /** Starts {@code ./pawl} with more variables in its environment. */
  public static PawlProcess start(Map<String, String> environment, String... arguments) {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(Stream.of(script().toString()), Stream.of(arguments)).toList());
    builder.environment().remove("PAWL_STORE");
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

  /** Returns the process of the JVM: the script has become it. */
  public Process process() {
    return process;
  }

  /** Sends a signal to the JVM: {@code KILL}, {@code STOP}, {@code CONT}, … */
  public void signal(String signal) {
    signal(process.pid(), signal);
  }

  /** Sends a signal to a process. */
  public static void signal(long pid, String signal) {
    try {
      List<String> kill = List.of("kill", "-" + signal, Long.toString(pid));
      assertThat(new ProcessBuilder(kill).inheritIO().start().waitFor()).as("%s", kill).isZero();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private static CompletableFuture<String> text(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
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

  private static Path script() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.isExecutable(at.resolve("pawl")) && Files.exists(at.resolve("bom/pom.xml"))) {
        return at.resolve("pawl");
      }
    }
    throw new IllegalStateException("not inside a checkout");
  }
}
