package dev.pawl.bench.contest;

import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;

/** Competitors on one kind of backend, and what is expected of them; found as a service. */
public interface Suite {

  /** Returns what it is called on the command line. */
  String name();

  /** Starts the servers, with everything in them that the competitors need. */
  Backend start();

  /** Returns those who take part. */
  List<Entrant> entrants();

  /** Returns the ids of those whom the others are compared with. */
  List<String> yardsticks();

  /** Returns what Pawl is to reach. */
  List<Aim> aims();

  /** Returns how often a competitor renews what it holds; zero if it does not. */
  default Duration renewalPeriod(String entrant) {
    return Duration.ZERO;
  }

  /** Returns the entrant of that id. */
  default Entrant entrant(String id) {
    return entrants().stream()
        .filter(entrant -> entrant.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no " + id + " in " + name()));
  }

  /** Finds the suite of that name. */
  static Suite named(String name) {
    for (Suite suite : ServiceLoader.load(Suite.class)) {
      if (suite.name().equals(name)) {
        return suite;
      }
    }
    throw new IllegalArgumentException("no suite " + name);
  }
}
