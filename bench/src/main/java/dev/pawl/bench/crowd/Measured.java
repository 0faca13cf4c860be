package dev.pawl.bench.crowd;

import java.util.List;

/**
 * What came of one situation with one entrant.
 *
 * @param served how many holds there were in the time
 * @param ideal how many there could have been at most; zero where that cannot be said
 * @param lost how many leases were lost
 * @param serverShare how much of one core the server used, from 0
 * @param pingMillis what 99 of 100 requests of another client took at most
 * @param handOverMicros the median from a release to the return of the next acquire
 * @param errors what callers were told instead
 */
record Measured(
    long served,
    double ideal,
    long lost,
    double serverShare,
    double pingMillis,
    double handOverMicros,
    List<String> errors) {

  double ofTheIdeal() {
    return served / ideal;
  }
}
