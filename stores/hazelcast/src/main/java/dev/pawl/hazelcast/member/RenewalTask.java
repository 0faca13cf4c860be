package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Renewals of many names in one message to the member that owns them, which makes a turn for each.
 *
 * <p>Hazelcast's own call for many keys does not wait for backups: a lease would be renewed for its
 * node, and not for the backup that takes over.
 */
public final class RenewalTask
    implements Callable<byte[]>, DataSerializable, HazelcastInstanceAware {

  private String map = "";
  private List<LockTurn> turns = List.of();
  private transient @Nullable HazelcastInstance member;

  /** For Hazelcast. */
  public RenewalTask() {}

  /** Makes these turns, each for a name of its own. */
  public RenewalTask(String map, List<LockTurn> turns) {
    this.map = map;
    this.turns = List.copyOf(turns);
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  /** Returns the answers, in the order of the turns. */
  @Override
  public byte[] call() {
    if (member == null) {
      throw new IllegalStateException("Hazelcast gave no instance to its task");
    }
    Entries locks = new Entries(member, member.getMap(map));
    List<CompletableFuture<byte[]>> answers = new ArrayList<>(turns.size());
    for (LockTurn turn : turns) {
      answers.add(locks.submit(turn.name(), turn).toCompletableFuture());
    }
    return Wire.bytes(
        out -> {
          for (CompletableFuture<byte[]> answer : answers) {
            Wire.block(out, answer.join());
          }
        });
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    Wire.form(out);
    Wire.text(out, map);
    out.writeInt(turns.size());
    for (LockTurn turn : turns) {
      turn.writeData(out);
    }
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    Wire.form(in);
    map = Wire.text(in);
    turns = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      LockTurn turn = new LockTurn();
      turn.readData(in);
      turns.add(turn);
    }
  }
}
