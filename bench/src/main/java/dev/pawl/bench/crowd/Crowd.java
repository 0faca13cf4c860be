package dev.pawl.bench.crowd;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The command {@code bench/run crowd}. */
public final class Crowd {

  private static final String HELP =
      """
      usage: bench/run crowd [--quick | --full] [--on SERVER]... [--only SITUATION]...

      Very many callers, holders and waiting nodes, on servers that it starts
      itself: what they get, and what they cost the server. Some fifteen minutes.

      servers      redis (Pawl, Redisson, raw BLPOP), postgresql (Pawl,
                   raw advisory lock)
      situations   semaphore-1000, semaphore-5000, readers, nodes-10, nodes-1000,
                   threads

      --quick      a first look: 5 s each
      --full       read leases are held for five minutes

      Only on a machine that does nothing else. See bench/README.md.
      """;

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final PrintStream log = new PrintStream(System.err, true, StandardCharsets.UTF_8);
  private final Set<String> servers = new LinkedHashSet<>();
  private final Set<Situation> situations = EnumSet.noneOf(Situation.class);
  private Duration window = Duration.ofSeconds(20);
  private Duration reading = Duration.ofSeconds(60);

  private Crowd() {}

  /**
   * Runs what the arguments say; ends with 2 if they make no sense, with 1 if an aim was missed.
   */
  public static void main(String[] arguments) throws Exception {
    Crowd crowd = new Crowd();
    if (List.of(arguments).contains("--help") || List.of(arguments).contains("-h")) {
      crowd.out.print(HELP);
      return;
    }
    try {
      crowd.parse(List.of(arguments).iterator());
    } catch (IllegalArgumentException e) {
      crowd.log.println(
          "bench/run crowd: " + e.getMessage() + "\nbench/run crowd --help tells more");
      System.exit(2);
    }
    System.exit(crowd.run() ? 0 : 1); // Servers' output may still have readers.
  }

  private void parse(Iterator<String> words) {
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "--quick" -> window = reading = Duration.ofSeconds(5);
        case "--full" -> reading = Duration.ofMinutes(5);
        case "--on" -> servers.add(value(word, words));
        case "--only" -> situations.add(Situation.of(value(word, words)));
        default -> throw new IllegalArgumentException("not understood: " + word);
      }
    }
    if (servers.isEmpty()) {
      servers.addAll(List.of("redis", "postgresql"));
    }
    if (situations.isEmpty()) {
      situations.addAll(EnumSet.allOf(Situation.class));
    }
    servers.forEach(Entrant::on);
  }

  private static String value(String option, Iterator<String> words) {
    if (!words.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return words.next();
  }

  private boolean run() throws Exception {
    Results results = new Results();
    for (String server : servers) {
      for (Situation situation : situations) {
        for (Entrant entrant : Entrant.on(server)) {
          if (entrant.takesPartIn(situation)) {
            log.println("bench: " + situation.title + ": " + entrant.label);
            try (Run run = new Run(situation, entrant)) {
              results.add(
                  situation,
                  entrant,
                  run.measure(situation == Situation.READERS ? reading : window));
            }
          }
        }
      }
    }
    out.println(results.table());
    out.println(results.aims());
    return results.allMet();
  }
}
