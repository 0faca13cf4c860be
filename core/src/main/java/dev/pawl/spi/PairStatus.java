package dev.pawl.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How a pair of stores stands.
 *
 * @param mode which of the two has the locks
 * @param epoch rises with each change of mode
 * @param since when the mode was changed last, by the backup's clock; empty if nobody remembers
 * @param reason why it was changed last
 * @param chosen whether a person has chosen the backup, so that only a person returns from it
 * @param primary the primary's URL without secrets
 * @param backup the backup's URL without secrets
 * @param lease the length of a mode lease
 * @param nodes the nodes that are listed
 * @param unmoved names that are held in the backup and not yet in the primary, while the locks
 *     return; some of them, if there are many
 */
public record PairStatus(
    Mode mode,
    long epoch,
    Optional<Instant> since,
    String reason,
    boolean chosen,
    String primary,
    String backup,
    Duration lease,
    List<Node> nodes,
    List<String> unmoved) {

  /** Which of the two stores has the locks. */
  public enum Mode {
    /** The primary has them. */
    PRIMARY,
    /** The primary is given up; nothing is granted until nobody counts on it any more. */
    LEAVING,
    /** The backup has them. */
    BACKUP,
    /** The backup has them, and whoever holds a name takes it in the primary as well. */
    RETURNING
  }

  /**
   * A node that is listed.
   *
   * @param id the node's id
   * @param label what people know it by; its id if that is not known
   * @param votes whether it has a say; a short-lived process has none
   * @param confirmed whether it has confirmed the last change
   * @param moved whether all that it holds is in the store that has the locks next
   * @param reaches whether it reaches the primary, as it last said
   */
  public record Node(
      String id, String label, boolean votes, boolean confirmed, boolean moved, boolean reaches) {}

  /** Copies the lists. */
  public PairStatus {
    nodes = List.copyOf(nodes);
    unmoved = List.copyOf(unmoved);
  }
}
