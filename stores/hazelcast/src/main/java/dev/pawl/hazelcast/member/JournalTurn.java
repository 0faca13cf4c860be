package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds a line to the journal of a name, or drops those before a time. */
public final class JournalTurn
    implements EntryProcessor<String, byte[], byte[]>, DataSerializable, HazelcastInstanceAware {

  private static final long serialVersionUID = 1L;
  private static final byte[] NOTHING = {};

  private byte[] line = NOTHING;
  private long beforeMicros;
  private int most;
  private transient @Nullable HazelcastInstance member;
  private transient @Nullable TurnCopy copy;

  /** For Hazelcast. */
  public JournalTurn() {}

  private JournalTurn(byte[] line, long beforeMicros, int most) {
    this.line = line;
    this.beforeMicros = beforeMicros;
    this.most = most;
  }

  /** Adds a line, and keeps so many. */
  public static JournalTurn append(byte[] line, int most) {
    return new JournalTurn(line, Long.MIN_VALUE, most);
  }

  /** Drops what is older. */
  public static JournalTurn dropBefore(long micros) {
    return new JournalTurn(NOTHING, micros, Integer.MAX_VALUE);
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  @Override
  @SuppressWarnings("NullAway") // Nobody asks for an answer.
  public byte @Nullable [] process(Map.Entry<String, byte[]> entry) {
    copy = null;
    byte[] value = entry.getValue();
    List<JournalPage.Line> before = value == null ? List.of() : JournalPage.decode(value);
    List<JournalPage.Line> lines = new ArrayList<>(before);
    lines.removeIf(each -> each.micros() < beforeMicros);
    if (line.length > 0 && member != null) {
      long last = lines.isEmpty() ? 0 : lines.get(lines.size() - 1).micros();
      lines.add(new JournalPage.Line(MemberClock.of(member).microsAfter(last), line));
    }
    while (lines.size() > most) {
      lines.remove(0);
    }
    if (!lines.equals(before)) {
      copy = lines.isEmpty() ? TurnCopy.removal(0) : TurnCopy.of(JournalPage.encode(lines));
      copy.writeTo((ExtendedMapEntry<String, byte[]>) entry);
    }
    return null;
  }

  @Override
  @SuppressWarnings("NullAway") // Hazelcast's: null where there is nothing to copy.
  public @Nullable EntryProcessor<String, byte[], byte[]> getBackupProcessor() {
    return copy;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    Wire.form(out);
    Wire.block(out, line);
    out.writeLong(beforeMicros);
    out.writeInt(most);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    Wire.form(in);
    line = Wire.block(in);
    beforeMicros = in.readLong();
    most = in.readInt();
  }
}
