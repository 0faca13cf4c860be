package dev.pawl.bench.contest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A process that does what a {@link WorkerProcess} tells it, one line at a time, and answers each
 * with a line; words are separated by tabs.
 */
public final class Worker {

  private final Suite suite;
  private final String address;
  private final PrintStream answers;
  private final Map<String, Competitor> open = new HashMap<>();
  private Competitor.@Nullable Hold held;

  /** What is held stays in reach for as long as it is to be held. */
  @SuppressWarnings("unused")
  private @Nullable Hoard hoard;

  private Worker(Suite suite, String address, PrintStream answers) {
    this.suite = suite;
    this.address = address;
    this.answers = answers;
  }

  /** Serves until its input ends: the name of a suite, and the address of its backend. */
  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // What a library prints is no answer.
    Worker worker = new Worker(Suite.named(arguments[0]), arguments[1], answers);
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        worker.serve(line.split("\t", -1));
      }
    }
    worker.close();
    System.exit(0); // Some competitors leave threads behind.
  }

  private void serve(String[] words) {
    try {
      answer(done(words));
    } catch (Exception e) {
      answers.println("error\t" + oneLine(words[0] + ": " + Tally.describe(e)));
    }
  }

  private String[] done(String[] words) throws Exception {
    return switch (words[0]) {
      case "clock" -> new String[] {"" + System.nanoTime()};
      case "echo" -> new String[] {words[1]};
      case "open" -> {
        competitor(words[1]);
        yield new String[0];
      }
      case "try" -> {
        Optional<Competitor.Hold> taken = competitor(words[1]).tryAcquire(words[2]);
        taken.ifPresent(hold -> held = hold);
        yield new String[] {taken.isPresent() ? "taken" : "refused"};
      }
      case "take" -> {
        Competitor competitor = competitor(words[1]);
        answer("asking");
        held = competitor.acquire(words[2]);
        yield new String[] {"" + System.nanoTime()};
      }
      case "free" -> {
        Competitor.Hold hold = held;
        if (hold == null) {
          throw new NoSuchElementException("nothing is held");
        }
        long before = System.nanoTime();
        hold.release();
        held = null;
        yield new String[] {"" + before};
      }
      case "pairs" -> {
        Slice slice =
            new Slice(
                Scenario.of(words[2]),
                Integer.parseInt(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]));
        yield slice.run(competitor(words[1])).words();
      }
      case "hold" -> {
        hoard = new Hoard(competitor(words[1]), Integer.parseInt(words[2]));
        yield hoard.words();
      }
      default -> throw new IllegalArgumentException("not understood");
    };
  }

  private Competitor competitor(String id) throws Exception {
    Competitor competitor = open.get(id);
    if (competitor == null) {
      competitor = suite.entrant(id).opening().open(address);
      open.put(id, competitor);
    }
    return competitor;
  }

  private void answer(String... words) {
    answers.println(oneLine("ok" + (words.length == 0 ? "" : "\t" + String.join("\t", words))));
  }

  private static String oneLine(String text) {
    return text.replaceAll("[\r\n]+", " ");
  }

  private void close() {
    open.values()
        .forEach(
            competitor -> {
              try {
                competitor.close();
              } catch (Exception e) {
                System.err.println("not closed: " + e);
              }
            });
  }
}
