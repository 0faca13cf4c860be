package dev.pawl.bench.contest;

import java.lang.management.ManagementFactory;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Where and how something is measured. */
final class Conditions {

  private Conditions() {}

  static Map<String, String> of(Suite suite, Plan plan) {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("suite", suite.name());
    conditions.put("date", LocalDate.now(ZoneOffset.UTC).toString());
    conditions.put("JDK", System.getProperty("java.vm.name") + " " + Runtime.version());
    conditions.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    conditions.put("cores", "" + Runtime.getRuntime().availableProcessors());
    conditions.put(
        "load before",
        String.format(
            Locale.ROOT,
            "%.2f",
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
    conditions.put("rounds", "" + plan.rounds());
    conditions.put("turn", plan.slice().toMillis() + " ms");
    conditions.put("hand-overs", "" + plan.handOvers());
    return conditions;
  }
}
