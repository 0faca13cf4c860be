package dev.pawl.bench.crowd;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One situation with one entrant, on a server of its own. */
final class Run implements AutoCloseable {

  /** How long hand-overs are counted. */
  private static final Duration MOVING = Duration.ofSeconds(10);

  /**
   * What a client may take beyond the time that is measured; then it is killed, and counts as an
   * error.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Situation situation;
  private final Entrant entrant;
  private final Server server;
  private final List<Peer> clients = new ArrayList<>();

  Run(Situation situation, Entrant entrant) {
    this.situation = situation;
    this.entrant = entrant;
    this.server = Server.start(entrant.server);
  }

  /** Has the crowd do its part for that long. */
  Measured measure(Duration window) throws Exception {
    for (int i = 0; i < situation.processes; i++) {
      clients.add(new Peer(situation, entrant, server.address(), window.plus(PATIENCE)));
    }
    for (Peer client : clients) {
      client.await("ready");
    }
    if (situation.isWaitingNodes()) {
      TimeUnit.SECONDS.sleep(5); // Those who came last are in the queue by then.
    }
    double share;
    double ping;
    try (Pings pings = new Pings(server)) {
      double before = server.cpuSeconds();
      long start = System.nanoTime();
      clients.forEach(client -> client.send(window));
      if (situation.isWaitingNodes()) {
        for (Peer client : clients) {
          client.await("rested");
        }
      } else {
        TimeUnit.MILLISECONDS.sleep(window.toMillis());
      }
      share = (server.cpuSeconds() - before) / ((System.nanoTime() - start) / 1e9);
      ping = pings.p99();
    }
    if (situation.isWaitingNodes()) {
      clients.forEach(client -> client.send(MOVING));
    }
    for (Peer client : clients) {
      client.await("done");
    }
    return new Measured(
        clients.stream().mapToLong(client -> client.served).sum(),
        situation.isSemaphore()
            ? Client.CAPACITY * window.toNanos() / (double) Client.HOLD_NANOS
            : 0,
        clients.stream().mapToLong(client -> client.lost).sum(),
        share,
        ping,
        handOver(),
        clients.stream().flatMap(client -> client.errors.stream()).toList());
  }

  /** The median from one turn's release to the next turn's acquire, in microseconds. */
  private double handOver() {
    List<long[]> turns = new ArrayList<>();
    clients.forEach(client -> turns.addAll(client.turns));
    turns.sort(Comparator.comparingLong(turn -> turn[0]));
    List<Double> micros = new ArrayList<>();
    for (int i = 1; i < turns.size(); i++) {
      micros.add((turns.get(i)[0] - turns.get(i - 1)[1]) / 1e3);
    }
    micros.sort(Comparator.naturalOrder());
    return micros.isEmpty() ? Double.NaN : micros.get(micros.size() / 2);
  }

  @Override
  public void close() {
    clients.forEach(client -> client.process.destroyForcibly());
    server.close();
  }

  /** A {@link Client}, as it is seen from here. */
  private static final class Peer {

    final Process process;
    final List<String> errors = new ArrayList<>();
    final List<long[]> turns = new ArrayList<>();
    private final BufferedReader answers;
    private final Writer commands;
    long served;
    long lost;

    Peer(Situation situation, Entrant entrant, String address, Duration atMost) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx2g",
                  "-Xss256k",
                  "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Client.class.getName(),
                  situation.id,
                  entrant.name(),
                  address)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      process
          .onExit()
          .orTimeout(atMost.toSeconds(), TimeUnit.SECONDS)
          .exceptionally(
              late -> {
                process.destroyForcibly();
                return process;
              });
      answers = process.inputReader(StandardCharsets.UTF_8);
      commands = process.outputWriter(StandardCharsets.UTF_8);
    }

    void send(Duration time) {
      try {
        commands.write(time.toMillis() + "\n");
        commands.flush();
      } catch (IOException e) {
        errors.add("the process is gone: " + e.getMessage());
      }
    }

    /** Reads what it prints up to that word. */
    void await(String word) throws IOException {
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        String[] words = line.split(" ", 2);
        switch (words[0]) {
          case "served" -> served = Long.parseLong(words[1]);
          case "lost" -> lost = Long.parseLong(words[1]);
          case "error" -> errors.add(words[1]);
          case "turn" -> {
            String[] times = words[1].split(" ", -1);
            turns.add(new long[] {Long.parseLong(times[0]), Long.parseLong(times[1])});
          }
          default -> {}
        }
        if (line.equals(word)) {
          return;
        }
      }
      errors.add("the process ended before it was " + word);
    }
  }
}
