package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a turn wrote, for the backups: the same bytes, or no entry. Its form stays as it is: members
 * of two versions keep each other's backups.
 */
public final class TurnCopy
    implements EntryProcessor<String, byte[], byte[]>, DataSerializable, HazelcastInstanceAware {

  private static final long serialVersionUID = 1L;
  private static final byte[] NO_ENTRY = {};

  private long micros;
  private byte[] value = NO_ENTRY;
  private transient @Nullable HazelcastInstance member;

  /** For Hazelcast. */
  public TurnCopy() {}

  private TurnCopy(long micros, byte[] value) {
    this.micros = micros;
    this.value = value;
  }

  static TurnCopy of(Stored stored) {
    return new TurnCopy(stored.micros(), stored.encode());
  }

  /** Of a value that has no time. */
  static TurnCopy of(byte[] value) {
    return new TurnCopy(0, value);
  }

  static TurnCopy removal(long micros) {
    return new TurnCopy(micros, NO_ENTRY);
  }

  @SuppressWarnings("NullAway") // Hazelcast's: null removes the entry.
  void writeTo(ExtendedMapEntry<String, byte[]> entry) {
    if (value.length == 0) {
      entry.setValue(null);
    } else {
      // Without a time to live, whatever the map's is: that one goes by the wall clock.
      entry.setValue(value, 0, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  @Override
  @SuppressWarnings("NullAway") // A backup's answer goes nowhere.
  public byte @Nullable [] process(Map.Entry<String, byte[]> entry) {
    if (member != null) {
      MemberClock.of(member).copied(micros);
      MemberSweep.of(member).begin();
    }
    writeTo((ExtendedMapEntry<String, byte[]>) entry);
    return null;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeLong(micros);
    Wire.block(out, value);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    micros = in.readLong();
    value = Wire.block(in);
  }
}
