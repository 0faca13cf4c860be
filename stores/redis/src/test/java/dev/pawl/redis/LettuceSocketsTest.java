package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.testservers.RedisServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What Lettuce leaves open; alone, since all tests of this process are counted. */
@Isolated
class LettuceSocketsTest {

  private static final File OPEN_FILES = new File("/proc/self/fd");
  private static final int ROUNDS = 40;

  @Test
  void aStoreThatIsClosedLeavesNoSocketOpen() throws Exception {
    assumeTrue(OPEN_FILES.isDirectory(), "this system does not show the open files of a process");
    try (RedisServer server = RedisServer.start()) {
      openAndClose(server);
      long before = sockets();
      for (int i = 0; i < ROUNDS; i++) {
        openAndClose(server);
      }
      // A few may be those of others, who close theirs at this moment and open new ones.
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (sockets() > before + ROUNDS / 8 && System.nanoTime() < end) {
        LockSupport.parkNanos(20_000_000);
      }
      assertThat(sockets()).isLessThanOrEqualTo(before + ROUNDS / 8);
    }
  }

  private static void openAndClose(RedisServer server) {
    try (RedisStore store = RedisStore.open(server.url())) {
      store.subscribe("node", signal -> {}).close();
    }
  }

  private static long sockets() {
    return Arrays.stream(Objects.requireNonNull(OPEN_FILES.listFiles()))
        .filter(LettuceSocketsTest::isSocket)
        .count();
  }

  private static boolean isSocket(File open) {
    try {
      return Files.readSymbolicLink(open.toPath()).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // It was closed since the list was made.
    }
  }
}
