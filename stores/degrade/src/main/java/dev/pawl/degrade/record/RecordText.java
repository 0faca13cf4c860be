package dev.pawl.degrade.record;

import dev.pawl.PawlException;
import dev.pawl.degrade.protocol.Member;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Sight;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.degrade.protocol.Tokens;
import java.util.ArrayList;
import java.util.List;

/**
 * The record as text, a line for each thing, for people who look into the backup as well: {@code
 * mode LEAVING}, {@code node 7f3a…}.
 */
final class RecordText {

  private static final String FORMAT = "pawl-pair 1";

  private RecordText() {}

  static String write(ModeRecord record) {
    StringBuilder text = new StringBuilder(FORMAT).append('\n');
    line(text, "epoch", record.epoch(), record.asked());
    line(text, "mode", record.mode(), record.pinned() ? "pinned" : "free");
    line(text, "names", record.primaryNames(), record.backupNames());
    line(
        text,
        "tokens",
        record.tokens().floor(),
        record.tokens().offset(),
        record.tokens().ceiling());
    line(text, "primary", quote(record.stores().primary()));
    line(text, "backup", quote(record.stores().backup()));
    line(text, "reason", quote(record.reason()));
    line(text, "lease", record.stores().leaseMillis());
    line(text, "beats", record.beats());
    line(text, "switches", record.switches());
    for (Member member : record.members()) {
      line(
          text,
          "node",
          member.node(),
          member.votes() ? "votes" : "silent",
          member.beat(),
          member.epoch(),
          member.ready() ? "ready" : "busy",
          member.sight());
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String what, Object... values) {
    text.append(what);
    for (Object value : values) {
      text.append(' ').append(value);
    }
    text.append('\n');
  }

  /** A line stays a line, whatever a person gave as a reason. */
  private static String quote(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
  }

  private static String unquote(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        char escaped = text.charAt(++i);
        plain.append(escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped);
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }

  /**
   * Reads what {@link #write} has written.
   *
   * @throws PawlException if it was written by something else
   */
  static ModeRecord read(String text) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals(FORMAT)) {
      throw new PawlException(
          "the record of the pair is in a form that this version does not know (\""
              + (lines.isEmpty() ? "" : lines.get(0))
              + "\"); give all nodes the same version of Pawl",
          null);
    }
    try {
      return parse(lines);
    } catch (RuntimeException e) {
      throw new PawlException(
          "the record of the pair cannot be read: something else has written into its register", e);
    }
  }

  private static ModeRecord parse(List<String> lines) {
    String[] epoch = words(lines, 1, "epoch");
    String[] mode = words(lines, 2, "mode");
    String[] names = words(lines, 3, "names");
    String[] tokens = words(lines, 4, "tokens");
    Stores stores =
        new Stores(
            rest(lines, 5, "primary"),
            rest(lines, 6, "backup"),
            Long.parseLong(words(lines, 8, "lease")[0]));
    String reason = rest(lines, 7, "reason");
    String[] beats = words(lines, 9, "beats");
    List<Member> members = new ArrayList<>();
    int switches = Integer.parseInt(words(lines, 10, "switches")[0]);
    for (int i = 11; i < lines.size(); i++) {
      String[] node = words(lines, i, "node");
      members.add(
          new Member(
              node[0],
              node[1].equals("votes"),
              Long.parseLong(node[2]),
              Long.parseLong(node[3]),
              node[4].equals("ready"),
              Sight.valueOf(node[5])));
    }
    return new ModeRecord(
        stores,
        Long.parseLong(epoch[0]),
        Long.parseLong(epoch[1]),
        Mode.valueOf(mode[0]),
        Long.parseLong(names[0]),
        Long.parseLong(names[1]),
        new Tokens(Long.parseLong(tokens[0]), Long.parseLong(tokens[1]), Long.parseLong(tokens[2])),
        Long.parseLong(beats[0]),
        members,
        switches,
        mode[1].equals("pinned"),
        reason);
  }

  private static String[] words(List<String> lines, int index, String what) {
    return tail(lines, index, what).split(" ", -1);
  }

  private static String rest(List<String> lines, int index, String what) {
    return unquote(tail(lines, index, what));
  }

  private static String tail(List<String> lines, int index, String what) {
    String line = lines.get(index);
    if (!line.startsWith(what + " ")) {
      throw new IllegalArgumentException("line " + index + " is no " + what);
    }
    return line.substring(what.length() + 1);
  }
}
