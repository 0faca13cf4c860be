package dev.pawl.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.springframework.boot.SpringBootVersion;

/** A Spring Boot application in a process of its own. */
final class AppProcess implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 180;

  private final Process process;
  private final Path log;

  private AppProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Tells whether processes are started: see {@link NewestBoot}. */
  static boolean isNewestOrLong() {
    return Boolean.getBoolean("pawl.long") || !SpringBootVersion.getVersion().startsWith("3.");
  }

  static AppProcess start(
      Class<?> main, Path log, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new AppProcess(builder.start(), log);
  }

  long pid() {
    return process.pid();
  }

  void kill() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops it, or lets it go on: {@code STOP}, {@code CONT}. */
  void signal(String signal) throws Exception {
    int code = new ProcessBuilder("kill", "-" + signal, "" + pid()).start().waitFor();
    if (code != 0) {
      throw new IllegalStateException("kill -" + signal + " " + pid() + ": " + code);
    }
  }

  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("it does not end:\n" + output());
    }
    return process.exitValue();
  }

  String output() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void awaitOutput(String text) {
    await(
        () -> {
          if (!process.isAlive() && !output().contains(text)) {
            throw new AssertionError("it has ended without \"" + text + "\":\n" + output());
          }
          return output().contains(text);
        },
        this::output);
  }

  static void await(BooleanSupplier state, java.util.function.Supplier<String> otherwise) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!state.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(otherwise.get());
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
