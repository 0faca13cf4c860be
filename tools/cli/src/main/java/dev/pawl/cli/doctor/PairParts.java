package dev.pawl.cli.doctor;

import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.watch.Probe;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** The two stores of a pair, each by itself: one of them cannot be reached. */
final class PairParts {

  private PairParts() {}

  static List<Finding> findings(StoreOption store) {
    List<Finding> findings = new ArrayList<>();
    for (StoreOption.Part part : StoreOption.Part.values()) {
      String name = part == StoreOption.Part.PRIMARY ? "primary: " : "backup: ";
      try (Pawl pawl = store.lookAt(part, "doctor")) {
        for (Finding each : new Probe((LockStore) pawl.store(), Clock.systemUTC()).findings()) {
          findings.add(new Finding(each.level(), name + each.what(), each.why(), each.remedy()));
        }
      } catch (StoreUnavailableException e) {
        findings.add(away(part, name + "cannot be reached: " + e.getMessage()));
      }
    }
    return findings;
  }

  private static Finding away(StoreOption.Part part, String what) {
    return part == StoreOption.Part.PRIMARY
        ? Finding.warning(
            what,
            "The locks go to the backup when most of the nodes see it too.",
            "Get it well; the locks return by themselves.")
        : Finding.unsafe(
            what,
            "Nodes renew their mode leases there. Without it they take no locks and lose those that"
                + " they have, one mode lease after it went away, although the primary is well.",
            "Get it well soon; choose a longer mode-lease if it is often away for that long.");
  }
}
