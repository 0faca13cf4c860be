package dev.pawl.jdbc.wake;

import dev.pawl.jdbc.sql.Utf8;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The channels on which nodes are notified: one for each node and table of locks.
 *
 * @param table its name alone, since one node may write the schema that is another's default
 */
record Channels(String table) {

  private static final int BYTES = 12;

  /** Leaves out the schema, if there is one. */
  Channels {
    table = table.substring(table.lastIndexOf('.') + 1);
  }

  /** Returns a channel: harmless characters only, whatever the node's id is. */
  String of(String node) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Utf8.bytes(table + "\n" + node));
      return "pawl_" + HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
