package dev.pawl.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchivesTest {

  @Test
  void allWhoUnpackTheSameAtOnceHaveIt() throws Exception {
    String name = "archives-test-" + UUID.randomUUID();
    int times = 4;
    CyclicBarrier unpacked = new CyclicBarrier(times);
    Callable<Path> unpack =
        () ->
            Archives.unpackOnce(
                name,
                directory -> {
                  Files.writeString(directory.resolve("program"), "text");
                  await(unpacked);
                });
    ExecutorService threads = Executors.newFixedThreadPool(times);
    try {
      List<Path> homes =
          threads.invokeAll(List.of(unpack, unpack, unpack, unpack)).stream()
              .map(ArchivesTest::result)
              .distinct()
              .toList();
      assertThat(homes).hasSize(1);
      assertThat(homes.get(0).resolve("program")).hasContent("text");
      try (Stream<Path> all = Files.list(homes.get(0).getParent())) {
        assertThat(all.filter(each -> each.getFileName().toString().startsWith(name)))
            .as("what the others unpacked is gone")
            .containsExactly(homes.get(0));
      }
    } finally {
      threads.shutdownNow();
      Archives.delete(Path.of(System.getProperty("java.io.tmpdir"), "pawl-test-servers", name));
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path result(Future<Path> future) {
    try {
      return future.get();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
