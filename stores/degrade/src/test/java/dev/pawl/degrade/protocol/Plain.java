package dev.pawl.degrade.protocol;

import java.util.ArrayList;
import java.util.List;

/** Records without what the search need not tell apart. */
final class Plain {

  private Plain() {}

  /** Returns the record without what the search needs not tell apart. */
  static ModeRecord members(ModeRecord record) {
    List<Member> members = new ArrayList<>();
    for (Member m : record.members()) {
      members.add(new Member(m.node(), m.votes(), 0, m.epoch(), m.ready(), m.sight()));
    }
    return copy(record, members);
  }

  /** Returns the record as nodes remember it, who need not remember each other. */
  static ModeRecord bare(ModeRecord record) {
    return copy(record, List.of());
  }

  private static ModeRecord copy(ModeRecord record, List<Member> members) {
    return new ModeRecord(
        SmallPair.STORES,
        record.epoch(),
        record.asked(),
        record.mode(),
        record.primaryNames(),
        record.backupNames(),
        record.tokens(),
        0,
        members,
        0,
        false,
        "");
  }
}
