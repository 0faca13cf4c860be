package dev.pawl.hazelcast.member;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import dev.pawl.spi.Register;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes a register on the member that has it, if its version is still the one that was seen. */
public final class RegisterTurn
    implements EntryProcessor<String, byte[], byte[]>, DataSerializable {

  private static final long serialVersionUID = 1L;
  private static final byte[] NOTHING = {};
  private static final byte WRITTEN = 1;
  private static final byte CHANGED = 0;
  private static final long NEVER = -1;

  private long seen;
  private byte[] next = NOTHING;
  private transient @Nullable TurnCopy copy;

  /** For Hazelcast. */
  public RegisterTurn() {}

  /** Writes {@code next} over the version before it. */
  public RegisterTurn(Register next) {
    this.seen = next.version() - 1;
    this.next = encode(next);
  }

  /**
   * Changes nothing, and is answered with what stands there: by the owner, where a plain read may
   * be answered by a near cache, or by a backup.
   */
  public static RegisterTurn reading() {
    RegisterTurn turn = new RegisterTurn();
    turn.seen = NEVER;
    return turn;
  }

  @Override
  public byte[] process(Map.Entry<String, byte[]> entry) {
    copy = null;
    byte[] before = entry.getValue();
    if ((before == null ? 0 : version(before)) == seen) {
      copy = TurnCopy.of(next);
      copy.writeTo((ExtendedMapEntry<String, byte[]>) entry);
      return new byte[] {WRITTEN};
    }
    int length = before == null ? 0 : before.length;
    ByteBuffer answer = ByteBuffer.allocate(1 + length).put(CHANGED);
    return before == null ? answer.array() : answer.put(before).array();
  }

  /** Tells whether an answer says that it was written. */
  public static boolean isWritten(byte[] answer) {
    return answer[0] == WRITTEN;
  }

  /** Returns what stands there instead, from an answer that says so. */
  public static Register standing(String key, byte[] answer) {
    byte[] value = new byte[answer.length - 1];
    System.arraycopy(answer, 1, value, 0, value.length);
    return decode(key, value.length == 0 ? null : value);
  }

  /** Reads an entry: the version, a byte that says whether there is a value, and the value. */
  public static Register decode(String key, byte @Nullable [] entry) {
    if (entry == null) {
      return Register.absent(key);
    }
    int start = Long.BYTES + 1;
    return new Register(
        key,
        version(entry),
        entry[Long.BYTES] == 0
            ? Optional.empty()
            : Optional.of(new String(entry, start, entry.length - start, StandardCharsets.UTF_8)));
  }

  private static byte[] encode(Register register) {
    byte[] text = register.value().orElse("").getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + 1 + text.length)
        .putLong(register.version())
        .put((byte) (register.value().isPresent() ? 1 : 0))
        .put(text)
        .array();
  }

  private static long version(byte[] entry) {
    if (entry.length <= Long.BYTES) {
      throw new IllegalArgumentException("a register of " + entry.length + " bytes is not ours");
    }
    return ByteBuffer.wrap(entry).getLong();
  }

  @Override
  @SuppressWarnings("NullAway") // Hazelcast's: null where there is nothing to copy.
  public @Nullable EntryProcessor<String, byte[], byte[]> getBackupProcessor() {
    return copy;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    Wire.form(out);
    out.writeLong(seen);
    Wire.block(out, next);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    Wire.form(in);
    seen = in.readLong();
    next = Wire.block(in);
  }
}
