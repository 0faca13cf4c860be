package dev.pawl.bench;

import dev.pawl.bench.contest.Contest;
import dev.pawl.bench.contest.JsonReport;
import dev.pawl.bench.contest.Report;
import dev.pawl.bench.contest.Results;
import dev.pawl.bench.contest.Suite;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The command {@code bench/run}: runs suites, prints tables, writes every value to a file. */
public final class Bench {

  private Bench() {}

  /** Runs what the arguments say; ends with 2 if they make no sense. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    PrintStream log = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    if (Arguments.asksForHelp(arguments)) {
      out.print(Arguments.HELP);
      return;
    }
    Arguments parsed;
    try {
      parsed = Arguments.parse(arguments);
    } catch (IllegalArgumentException e) {
      log.println("bench/run: " + e.getMessage() + "\nbench/run --help tells more");
      System.exit(2);
      return;
    }
    for (String name : parsed.suites()) {
      Results results = new Contest(Suite.named(name), parsed.plan(), log).run();
      out.println(Report.of(results));
      Path file = Path.of(System.getProperty("pawl.bench.results", "."), name + ".json");
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, JsonReport.of(results));
      log.println("bench: every value is in " + file);
    }
    System.exit(0); // Servers' output may still have readers.
  }
}
