package dev.pawl.hazelcast.member;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The journal of one name as bytes: its lines, the oldest first. */
public final class JournalPage {

  private JournalPage() {}

  /**
   * One line.
   *
   * @param micros when it was added, by the member's clock
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared by identity: a line is never changed.
  public record Line(long micros, byte[] text) {}

  static byte[] encode(List<Line> lines) {
    return Wire.bytes(
        out -> {
          out.writeInt(lines.size());
          for (Line line : lines) {
            out.writeLong(line.micros());
            Wire.block(out, line.text());
          }
        });
  }

  /** Returns the lines of a page. */
  public static List<Line> decode(byte[] page) {
    return Wire.read(
        page,
        in -> {
          List<Line> lines = new ArrayList<>();
          for (int left = in.readInt(); left > 0; left--) {
            lines.add(new Line(in.readLong(), Wire.block(in)));
          }
          return lines;
        });
  }

  /** Returns the bytes of a line. */
  public static byte[] text(
      JournalEntry.Kind kind, long token, String node, Map<String, String> details) {
    return Wire.bytes(
        out -> {
          Wire.text(out, kind.name());
          out.writeLong(token);
          Wire.text(out, node);
          out.writeInt(details.size());
          for (Map.Entry<String, String> detail : details.entrySet()) {
            Wire.text(out, detail.getKey());
            Wire.text(out, detail.getValue());
          }
        });
  }

  /** Returns the entries of a page, the newest first; those of a kind not known are left out. */
  public static List<JournalEntry> entries(String name, byte[] page) {
    List<Line> lines = decode(page);
    List<JournalEntry> entries = new ArrayList<>(lines.size());
    for (int i = lines.size() - 1; i >= 0; i--) {
      Line line = lines.get(i);
      Wire.read(
          line.text(),
          in -> {
            String kind = Wire.text(in);
            long token = in.readLong();
            String node = Wire.text(in);
            Map<String, String> details = new HashMap<>();
            for (int left = in.readInt(); left > 0; left--) {
              details.put(Wire.text(in), Wire.text(in));
            }
            Instant at = Instant.EPOCH.plus(line.micros(), ChronoUnit.MICROS);
            Journal.kind(kind)
                .ifPresent(
                    known -> entries.add(new JournalEntry(at, known, name, token, node, details)));
            return kind;
          });
    }
    return entries;
  }
}
