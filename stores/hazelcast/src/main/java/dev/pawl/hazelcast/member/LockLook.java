package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.core.ReadOnly;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import dev.pawl.LockInfo;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.spi.Listing;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A look at an entry that changes nothing: the member's time, and the entry if there is one. */
public final class LockLook
    implements EntryProcessor<String, byte[], byte[]>,
        ReadOnly,
        DataSerializable,
        HazelcastInstanceAware {

  private static final long serialVersionUID = 1L;
  private static final byte[] NO_ENTRY = {};

  private String prefix = "";
  private boolean onlyInUse;
  private transient @Nullable HazelcastInstance member;

  /** For Hazelcast; sees every entry. */
  public LockLook() {}

  /** Sees the entries of a listing. */
  public LockLook(Listing listing) {
    prefix = listing.prefix();
    onlyInUse = listing.onlyInUse();
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  @Override
  @SuppressWarnings("NullAway") // Hazelcast's: null is left out.
  public byte @Nullable [] process(Map.Entry<String, byte[]> entry) {
    if (member == null || !entry.getKey().startsWith(prefix)) {
      return null;
    }
    MemberClock clock = MemberClock.of(member);
    byte[] value = entry.getValue();
    Stored stored = value == null ? null : Stored.decode(value).asOf(clock);
    if (stored == null || stored.state().equals(LockState.EMPTY)) {
      return onlyInUse ? null : answer(clock.microsOfUnknown(), NO_ENTRY);
    }
    if (onlyInUse && !isInUse(stored.state(), stored.micros())) {
      return null;
    }
    return answer(stored.micros(), stored.encode());
  }

  private static byte[] answer(long micros, byte[] entry) {
    return Wire.bytes(
        out -> {
          out.writeLong(micros);
          Wire.block(out, entry);
        });
  }

  private static boolean isInUse(LockState state, long now) {
    return state.holders().stream().anyMatch(holder -> holder.untilMicros() > now)
        || state.queue().stream().anyMatch(waiter -> waiter.aliveUntilMicros() > now);
  }

  /** Returns the member's time from an answer. */
  public static long micros(byte[] answer) {
    return Wire.read(answer, in -> in.readLong());
  }

  /** Returns what people see of a name, from an answer; empty if there is no entry. */
  public static Optional<LockInfo> info(String name, byte[] answer) {
    return Wire.read(
        answer,
        in -> {
          long now = in.readLong();
          byte[] entry = Wire.block(in);
          return entry.length == 0
              ? Optional.empty()
              : Optional.of(LockMachine.describe(name, Stored.decode(entry).state(), now));
        });
  }

  @Override
  @SuppressWarnings("NullAway") // Hazelcast's: a look has no backup.
  public @Nullable EntryProcessor<String, byte[], byte[]> getBackupProcessor() {
    return null;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    Wire.form(out);
    Wire.text(out, prefix);
    out.writeBoolean(onlyInUse);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    Wire.form(in);
    prefix = Wire.text(in);
    onlyInUse = in.readBoolean();
  }
}
