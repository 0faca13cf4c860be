package dev.pawl.bench;

import dev.pawl.testservers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lock and unlock pairs a second on one Redis: Pawl, the raw drivers and the peers, in interleaved
 * rounds of one run. Only the ratios mean anything.
 *
 * <p>{@code java -cp … dev.pawl.bench.RedisBench [rounds [seconds]]}
 */
public final class RedisBench {

  private static final List<String> SCENARIOS =
      List.of("1 thread", "1 thread, new names", "16 threads, own names", "16 threads, one name");

  private RedisBench() {}

  /** Runs all scenarios and prints the medians. */
  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 3;
    double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 2;
    try (RedisServer server = RedisServer.start()) {
      List<RedisBenchPeer> peers = RedisBenchPeer.all(server.port());
      Map<String, double[]> results = new LinkedHashMap<>();
      for (int round = -1; round < rounds; round++) {
        for (String scenario : SCENARIOS) {
          for (RedisBenchPeer peer : peers) {
            double pairs = measure(peer, scenario, round < 0 ? Math.min(1, seconds) : seconds);
            if (round >= 0) {
              results
                      .computeIfAbsent(scenario + "|" + peer.name(), key -> new double[rounds])[
                      round] =
                  pairs;
            }
          }
        }
      }
      print(results, peers);
      for (RedisBenchPeer peer : peers) {
        peer.close();
      }
    }
    System.exit(0); // The peers leave threads behind.
  }

  private static double measure(RedisBenchPeer peer, String scenario, double seconds)
      throws InterruptedException {
    int threads = scenario.startsWith("16") ? 16 : 1;
    AtomicBoolean stop = new AtomicBoolean();
    LongAdder pairs = new LongAdder();
    CountDownLatch ended = new CountDownLatch(threads);
    List<Throwable> failures = new ArrayList<>();
    long start = System.nanoTime();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (long i = 0; !stop.get(); i++) {
                    peer.pair(name(scenario, number, i));
                    pairs.increment();
                  }
                } catch (Exception e) {
                  failures.add(e);
                } finally {
                  ended.countDown();
                }
              });
      thread.setDaemon(true);
      thread.start();
    }
    Thread.currentThread().join((long) (seconds * 1_000));
    stop.set(true);
    double elapsed = (System.nanoTime() - start) / 1e9;
    long counted = pairs.sum();
    ended.await();
    if (!failures.isEmpty()) {
      System.out.println(peer.name() + ", " + scenario + ": " + failures.get(0));
    }
    return counted / elapsed;
  }

  private static String name(String scenario, int thread, long i) {
    return switch (scenario) {
      case "1 thread, new names" -> "new-" + i;
      case "16 threads, own names" -> "own-" + thread;
      default -> "one";
    };
  }

  private static void print(Map<String, double[]> results, List<RedisBenchPeer> peers) {
    StringBuilder line = new StringBuilder("%-28s".formatted("pairs/s, medians"));
    SCENARIOS.forEach(scenario -> line.append("%24s".formatted(scenario)));
    System.out.println(line);
    for (RedisBenchPeer peer : peers) {
      line.setLength(0);
      line.append("%-28s".formatted(peer.name()));
      for (String scenario : SCENARIOS) {
        double[] rounds = results.getOrDefault(scenario + "|" + peer.name(), new double[1]);
        Arrays.sort(rounds);
        line.append("%24.0f".formatted(rounds[rounds.length / 2]));
      }
      System.out.println(line);
    }
  }
}
