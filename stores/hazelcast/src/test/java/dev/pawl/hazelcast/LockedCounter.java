package dev.pawl.hazelcast;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that counts up in a plain file under a lock. */
final class LockedCounter {

  private LockedCounter() {}

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[1]);
    // It keeps the lock on a machine that is too busy to renew it.
    LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMinutes(1));
    try (Pawl pawl =
        Pawl.builder(arguments[0])
            .defaults(options)
            .responseTimeout(Duration.ofSeconds(30))
            .build()) {
      for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
        try (Lease lease = pawl.lock("counter").acquire()) {
          long count = Long.parseLong(Files.readString(file).trim());
          Files.writeString(file, "" + (count + 1));
          lease.ensureHeld();
        }
      }
    }
  }

  /** Starts one more of these processes. */
  static Process start(String url, Path file, int times) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=error");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(LockedCounter.class.getName(), url, file.toString(), "" + times));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
