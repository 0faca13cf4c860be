package dev.pawl.zookeeper.tree;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What a claim's node says for people, and what of its name has changed.
 *
 * @param permits how much it takes now; no more than its name says
 * @param sinceMicros when it was granted, if that was later than the node was made; else zero
 */
public record Entry(
    ClaimId claim,
    String label,
    String actor,
    long leaseMicros,
    int span,
    int permits,
    long sinceMicros) {

  private static final int FORM = 1;

  private static final Entry UNREADABLE =
      new Entry(
          new ClaimId("unknown", 0), "another version of Pawl", "", 0, 1, Command.EVERYTHING, 0);

  /** Returns the written form. */
  public byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(96);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORM);
      out.writeUTF(claim.toString());
      out.writeUTF(label);
      out.writeUTF(actor);
      out.writeLong(leaseMicros);
      out.writeInt(span);
      out.writeInt(permits);
      out.writeLong(sinceMicros);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads the written form. Who holds the name is decided by the names of nodes alone, so that one
   * which another version has written is shown as such, and keeps nobody from going on.
   */
  public static Entry decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readByte() != FORM) {
        return UNREADABLE;
      }
      return new Entry(
          ClaimId.parse(in.readUTF()),
          in.readUTF(),
          in.readUTF(),
          in.readLong(),
          in.readInt(),
          in.readInt(),
          in.readLong());
    } catch (IOException | IllegalArgumentException e) {
      return UNREADABLE;
    }
  }
}
