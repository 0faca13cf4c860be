package dev.pawl.recipes;

import dev.pawl.Election;
import dev.pawl.Pawl;
import java.util.concurrent.CountDownLatch;

/** Something that is started on the elected node, and stopped when that is no longer the leader. */
public final class LeaderOnly {

  private LeaderOnly() {}

  /** Stands for election; closing the campaign stops it too. */
  public static Election.Campaign run(Pawl pawl, String name, Runnable start, Runnable stop) {
    return pawl.election(name)
        .lead(
            term -> {
              start.run();
              try {
                new CountDownLatch(1).await(); // Until the term is lost or the campaign is closed.
              } finally {
                stop.run();
              }
            });
  }
}
