package dev.pawl.bench.contest;

import java.util.Set;

/**
 * A competitor as it is entered for a suite.
 *
 * @param id what it is called in the results
 * @param label what it is called in the tables
 * @param terms with how many connections and which lease it takes part
 * @param scenarios those it takes part in
 * @param opening how it is opened, given the backend's address
 */
public record Entrant(
    String id, String label, String terms, Set<Scenario> scenarios, Opening opening) {

  /** How a competitor is opened. */
  @FunctionalInterface
  public interface Opening {

    /** Opens it on the backend at the address. */
    Competitor open(String address) throws Exception;
  }
}
