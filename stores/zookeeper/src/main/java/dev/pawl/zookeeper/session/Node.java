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
public record Node(String path, byte[] data, Stat stat) {}
