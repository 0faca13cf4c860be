package dev.pawl.zookeeper.claims;

import dev.pawl.spi.Command;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * The mark of a name, in a node of its own that stays when the name is idle.
 *
 * @param mark what was reached
 * @param keepMicros how long it is kept after it was written
 * @param token the highest token of the grant that reached it
 * @param version of the node, so that nobody's change is lost
 */
record Mark(long mark, long keepMicros, long token, int version, long writtenMicros) {

  static CompletableFuture<Optional<Mark>> read(Session session, String path) {
    return Absence.of(session.read(path, null)).thenApply(node -> node.map(Mark::of));
  }

  static Mark of(Node node) {
    ByteBuffer bytes = ByteBuffer.wrap(node.data());
    return new Mark(
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        node.stat().getVersion(),
        node.stat().getMtime() * 1_000);
  }

  static byte[] encode(long mark, long keepMicros, long token) {
    return ByteBuffer.allocate(24).putLong(mark).putLong(keepMicros).putLong(token).array();
  }

  long untilMicros() {
    return writtenMicros + keepMicros;
  }

  static OptionalLong reached(Optional<Mark> mark) {
    return mark.isPresent() ? OptionalLong.of(mark.get().mark) : OptionalLong.empty();
  }

  /** Returns what raises a mark, or nothing if it has been reached. */
  static Optional<Op> raising(
      Session session,
      String path,
      Optional<Mark> before,
      Command.Release release,
      long nowMicros) {
    long wanted = release.mark().getAsLong();
    if (before.isEmpty()) {
      return Optional.of(
          session.creation(
              path,
              encode(wanted, release.keepMicros(), release.usedToken()),
              CreateMode.PERSISTENT));
    }
    Mark old = before.get();
    if (wanted <= old.mark) {
      return Optional.empty();
    }
    long keep = Math.max(release.keepMicros(), old.untilMicros() - nowMicros);
    return Optional.of(Op.setData(path, encode(wanted, keep, release.usedToken()), old.version));
  }
}
