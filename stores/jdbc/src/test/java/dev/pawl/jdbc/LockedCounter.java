package dev.pawl.jdbc;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that counts up in a plain file under a lock, or takes the lock and never leaves. */
final class LockedCounter {

  private LockedCounter() {}

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[1]);
    int times = Integer.parseInt(arguments[2]);
    // Who counts keeps the lock on a machine that is too busy to renew it; who is killed does not.
    LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofSeconds(times == 0 ? 2 : 60));
    try (Pawl pawl =
        Pawl.builder(arguments[0])
            .defaults(options)
            .responseTimeout(Duration.ofSeconds(30))
            .build()) {
      if (times == 0) {
        Lease lease = pawl.lock("counter").acquire();
        System.out.println("held " + lease.token());
        Thread.sleep(60_000);
      }
      for (int i = 0; i < times; i++) {
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
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(LockedCounter.class.getName(), url, file.toString(), "" + times));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
