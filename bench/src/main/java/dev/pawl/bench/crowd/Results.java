package dev.pawl.bench.crowd;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was measured, as tables in Markdown, and what it is compared with. */
final class Results {

  private static final double LEAST_OF_IDEAL = 0.95;
  private static final double MOST_PING_MILLIS = 10;
  private static final double MOST_SHARE_OF_READERS = 0.05;
  private static final double MOST_SHARE_OF_WAITING = 0.10;
  private static final double MOST_TIMES_HAND_OVER = 3;

  private final Map<Situation, Map<Entrant, Measured>> measured = new EnumMap<>(Situation.class);

  void add(Situation situation, Entrant entrant, Measured result) {
    measured.computeIfAbsent(situation, s -> new EnumMap<>(Entrant.class)).put(entrant, result);
  }

  String table() {
    StringBuilder text =
        new StringBuilder(
            "| situation | | served | of the ideal | lost | server, of a core"
                + " | others' ping p99, ms | hand-over, µs | errors |\n"
                + "|---|---|---|---|---|---|---|---|---|\n");
    measured.forEach(
        (situation, entrants) ->
            entrants.forEach(
                (entrant, result) ->
                    text.append(
                        "| %s | %s | %s | %s | %d | %s | %s | %s | %s |%n"
                            .formatted(
                                situation.title,
                                entrant.label,
                                result.served() == 0 ? "" : "%,d".formatted(result.served()),
                                result.ideal() == 0 ? "" : number(result.ofTheIdeal()),
                                result.lost(),
                                number(result.serverShare()),
                                number(result.pingMillis()),
                                Double.isNaN(result.handOverMicros())
                                    ? ""
                                    : "%,.0f".formatted(result.handOverMicros()),
                                String.join(", ", result.errors())))));
    return text.toString();
  }

  String aims() {
    StringBuilder text =
        new StringBuilder("| | | situation | aim | measured |\n|---|---|---|---|---|\n");
    for (Aim aim : judged()) {
      text.append(
          "| %s | %s | %s | %s | %s |%n"
              .formatted(
                  aim.met ? "met" : "**missed**",
                  aim.entrant.label,
                  aim.situation.title,
                  aim.words,
                  aim.found));
    }
    return text.toString();
  }

  boolean allMet() {
    return judged().stream().allMatch(Aim::met);
  }

  private List<Aim> judged() {
    List<Aim> aims = new ArrayList<>();
    measured.forEach(
        (situation, entrants) ->
            entrants.forEach(
                (entrant, result) -> {
                  if (entrant.isPawl()) {
                    judge(aims, situation, entrant, result);
                  }
                }));
    return aims;
  }

  private void judge(List<Aim> aims, Situation situation, Entrant entrant, Measured result) {
    aims.add(
        new Aim(
            result.lost() == 0 && result.errors().isEmpty(),
            entrant,
            situation,
            "no lease lost, no error",
            result.lost() + " lost" + (result.errors().isEmpty() ? "" : ", " + result.errors())));
    if (situation.isSemaphore()) {
      atLeast(aims, situation, entrant, LEAST_OF_IDEAL, result.ofTheIdeal(), "of the ideal");
      Measured redisson = find(situation, Entrant.REDISSON);
      if (redisson != null && entrant.server.equals("redis")) {
        atLeast(
            aims,
            situation,
            entrant,
            1,
            result.served() / (double) redisson.served(),
            "× Redisson");
      }
      atMost(aims, situation, entrant, MOST_PING_MILLIS, result.pingMillis(), "ms, p99 of a ping");
    }
    if (situation == Situation.READERS) {
      atMost(aims, situation, entrant, MOST_SHARE_OF_READERS, result.serverShare(), "of a core");
    }
    if (situation == Situation.NODES_1000) {
      atMost(aims, situation, entrant, MOST_SHARE_OF_WAITING, result.serverShare(), "of a core");
      Measured few = find(Situation.NODES_10, entrant);
      if (few != null) {
        atMost(
            aims,
            situation,
            entrant,
            MOST_TIMES_HAND_OVER,
            result.handOverMicros() / few.handOverMicros(),
            "× the hand-over of 10 nodes");
      }
    }
  }

  private @Nullable Measured find(Situation situation, Entrant entrant) {
    return measured.getOrDefault(situation, Map.of()).get(entrant);
  }

  private static void atLeast(
      List<Aim> aims, Situation situation, Entrant entrant, double bound, double is, String unit) {
    aims.add(
        new Aim(
            is >= bound, entrant, situation, "at least " + number(bound) + " " + unit, number(is)));
  }

  private static void atMost(
      List<Aim> aims, Situation situation, Entrant entrant, double bound, double is, String unit) {
    aims.add(
        new Aim(
            is <= bound, entrant, situation, "at most " + number(bound) + " " + unit, number(is)));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  /** Something that Pawl is to reach, and whether it did. */
  private record Aim(
      boolean met, Entrant entrant, Situation situation, String words, String found) {}
}
