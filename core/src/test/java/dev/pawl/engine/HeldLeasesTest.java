package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What it costs to hold very many leases: heap and threads, store included. */
class HeldLeasesTest {

  private static final int LEASES = 100_000;
  private static final int MOST_BYTES = 800;

  @Test
  void aHundredThousandLeasesCostOneKeeperAndEightHundredBytesEach() throws Exception {
    List<String> names = IntStream.range(0, LEASES).mapToObj(i -> "name-" + i).toList();
    // So that no renewal is under way while it is measured, and none comes too late.
    LockOptions anHour = LockOptions.DEFAULT.withLease(Duration.ofHours(1));
    try (Pawl pawl = Pawl.builder(new MemoryStore()).build()) {
      List<Lease> leases = new ArrayList<>(LEASES);
      long before = usedHeap();
      for (String name : names) {
        leases.add(pawl.lock(name, anHour).acquire());
      }
      long bytes = (usedHeap() - before) / LEASES;
      System.out.println("held leases: " + bytes + " bytes each");
      assertThat(leases).allMatch(Lease::isHeld);
      assertThat(bytes).isBetween(100L, (long) MOST_BYTES);
      assertThat(threadsOf(pawl)).hasSize(1).allMatch(name -> name.startsWith("pawl-keeper-"));
      leases.forEach(Lease::close);
      assertThat(((MemoryStore) pawl.store()).size()).isZero();
    }
  }

  private static Set<String> threadsOf(Pawl pawl) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains(pawl.nodeId()))
        .collect(Collectors.toSet());
  }

  private static long usedHeap() {
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      used = Math.min(used, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return used;
  }
}
