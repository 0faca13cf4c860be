package dev.pawl.hazelcast.member;

/**
 * How a member keeps our map.
 *
 * @param backups how many synchronous backups there are
 * @param forgets whether entries are evicted, or go when they are idle
 * @param protection how many members the split-brain protection wants; 0 if there is none
 * @param failsUnlessBackedUp whether a call fails whose backups were not confirmed
 */
public record MemberReport(
    int backups, boolean forgets, int protection, boolean failsUnlessBackedUp) {

  /** Returns the worst of two members that differ. */
  public MemberReport worse(MemberReport other) {
    return new MemberReport(
        Math.min(backups, other.backups),
        forgets || other.forgets,
        Math.min(protection, other.protection),
        failsUnlessBackedUp && other.failsUnlessBackedUp);
  }

  byte[] encode() {
    return Wire.bytes(
        out -> {
          out.writeInt(backups);
          out.writeBoolean(forgets);
          out.writeInt(protection);
          out.writeBoolean(failsUnlessBackedUp);
        });
  }

  /** Reads a member's answer. */
  public static MemberReport decode(byte[] answer) {
    return Wire.read(
        answer,
        in -> new MemberReport(in.readInt(), in.readBoolean(), in.readInt(), in.readBoolean()));
  }
}
