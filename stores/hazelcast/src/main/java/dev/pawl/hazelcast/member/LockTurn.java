package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One turn of the lock machine, on the member that has the name: reads the entry, applies the
 * commands, writes once. The backup gets what was written, and runs nothing.
 */
public final class LockTurn
    implements EntryProcessor<String, byte[], byte[]>, DataSerializable, HazelcastInstanceAware {

  private static final long serialVersionUID = 1L;

  private String prefix = "";
  private String name = "";
  private transient List<Command> commands = List.of();
  private transient @Nullable HazelcastInstance member;
  private transient @Nullable TurnCopy copy;

  /** For Hazelcast. */
  public LockTurn() {}

  /** Applies commands to a name, one after the other. */
  public LockTurn(String prefix, String name, List<? extends Command> commands) {
    this.prefix = prefix;
    this.name = name;
    this.commands = List.copyOf(commands);
  }

  String name() {
    return name;
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  @Override
  public byte[] process(Map.Entry<String, byte[]> entry) {
    copy = null;
    MemberClock clock = MemberClock.of(member());
    byte[] value = entry.getValue();
    Stored written = value == null ? null : Stored.decode(value);
    Stored before =
        written == null
            ? new Stored(clock.id(), clock.microsOfUnknown(), LockState.EMPTY)
            : written.asOf(clock);
    long now = before.micros();
    LockState state = before.state();
    List<Object> replies = new ArrayList<>(commands.size());
    List<Signal> signals = new ArrayList<>(1);
    for (Command command : commands) {
      Step<?> step = CommandCodec.apply(state, command, now);
      state = step.state();
      replies.add(step.reply());
      signals.addAll(step.signals());
    }
    write((ExtendedMapEntry<String, byte[]>) entry, written, new Stored(clock.id(), now, state));
    for (Signal signal : signals) {
      Topics.publish(member(), prefix, signal);
    }
    return Wire.bytes(
        out -> {
          for (Object reply : replies) {
            Wire.reply(out, reply);
          }
        });
  }

  private void write(
      ExtendedMapEntry<String, byte[]> entry, @Nullable Stored before, Stored after) {
    if (after.state().isForgettable(after.micros())) {
      if (before != null) {
        copy = TurnCopy.removal(after.micros());
      }
    } else if (before == null
        || before.clock() != after.clock()
        || !before.state().equals(after.state())) {
      copy = TurnCopy.of(after);
      MemberSweep.of(member()).begin(prefix);
    }
    if (copy != null) {
      copy.writeTo(entry);
    }
  }

  private HazelcastInstance member() {
    if (member == null) {
      throw new IllegalStateException("Hazelcast gave no instance to its entry processor");
    }
    return member;
  }

  @Override
  @SuppressWarnings("NullAway") // Hazelcast's: null where there is nothing to copy.
  public @Nullable EntryProcessor<String, byte[], byte[]> getBackupProcessor() {
    return copy;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    Wire.form(out);
    Wire.text(out, prefix);
    Wire.text(out, name);
    out.writeInt(commands.size());
    for (Command command : commands) {
      CommandCodec.write(out, command);
    }
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    Wire.form(in);
    prefix = Wire.text(in);
    name = Wire.text(in);
    List<Command> read = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      read.add(CommandCodec.read(in, name));
    }
    commands = read;
  }
}
