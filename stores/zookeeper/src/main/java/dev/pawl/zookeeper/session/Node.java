package dev.pawl.zookeeper.session;

import org.apache.zookeeper.data.Stat;

/**
 * A node as it was read or created.
 *
 * @param path where it is
 * @param data what is in it
 * @param stat when it was made and changed, and by which session
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
public record Node(String path, byte[] data, Stat stat) {

  /** What ZooKeeper writes as the owner of a container. */
  private static final long CONTAINER = Long.MIN_VALUE;

  /** Tells whether it ends with a session, and not only when nothing is left below it. */
  public boolean isEphemeral() {
    return stat.getEphemeralOwner() != 0 && stat.getEphemeralOwner() != CONTAINER;
  }

  /** Tells whether that session has made it, and it ends with it. */
  public boolean isOf(Session session) {
    return isEphemeral() && stat.getEphemeralOwner() == session.id();
  }
}
