package dev.pawl.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.pair.PairLoad.Said;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Whether what processes under load have said is right. */
final class PairChecks {

  /** How a node says that the primary is left. */
  private static final Pattern LEFT =
      Pattern.compile("WARN .*the pair of stores is in mode [A-Z]+, epoch (\\d+)");

  private final List<Said> said;
  private final boolean ticks;

  PairChecks(List<Said> said, boolean ticks) {
    this.said = said;
    this.ticks = ticks;
  }

  void check() {
    assertThat(said.stream().filter(each -> each.is("ERROR") || each.is("STUCK")))
        .extracting(each -> each.node() + ": " + String.join(" ", each.words()))
        .isEmpty();
    checkHolds(PairNode.LOCK);
    checkHolds(PairNode.ELECTION);
    if (ticks) {
      checkTicks();
    }
  }

  /** A process has said once of each switch that the primary is left. */
  static void checkWarnings(Path log, int switches) {
    try (Stream<String> lines = Files.lines(log)) {
      assertThat(lines.map(LEFT::matcher).filter(Matcher::find).map(warning -> warning.group(1)))
          .as("epochs of which " + log.getFileName() + " warns")
          .hasSizeGreaterThanOrEqualTo(switches)
          .doesNotHaveDuplicates();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of those who believed to hold a name no two did so at once, and each had a higher token. */
  private void checkHolds(String name) {
    List<Said> holds =
        said.stream()
            .filter(each -> each.is("HELD") && each.words().get(1).equals(name))
            .sorted(Comparator.comparingLong(each -> each.number(3)))
            .toList();
    assertThat(holds).hasSizeGreaterThan(20);
    List<String> wrong = new ArrayList<>();
    for (int i = 1; i < holds.size(); i++) {
      Said before = holds.get(i - 1);
      Said after = holds.get(i);
      if (after.number(3) - before.number(4) < 0) {
        wrong.add("overlap: " + line(before) + " and " + line(after));
      }
      if (after.number(2) <= before.number(2)) {
        wrong.add("token went back: " + line(before) + " then " + line(after));
      }
    }
    assertThat(wrong).as(name).isEmpty();
  }

  private static String line(Said said) {
    return "node-" + said.node() + " " + String.join(" ", said.words());
  }

  /** A tick that was reported as run is not begun again. */
  private void checkTicks() {
    Map<Long, Said> ran = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    for (Said each : said) {
      if (each.is("RAN")) {
        Said before = ran.put(each.number(1), each);
        if (before != null) {
          wrong.add("reported twice: " + line(before) + " and " + line(each));
        }
      }
    }
    for (Said each : said) {
      if (each.is("RUN")) {
        Said reported = ran.get(each.number(1));
        if (reported != null && each.number(3) - reported.number(3) > 0) {
          wrong.add("run again: " + line(reported) + " then " + line(each));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(ran).as("ticks that were run").isNotEmpty();
  }
}
