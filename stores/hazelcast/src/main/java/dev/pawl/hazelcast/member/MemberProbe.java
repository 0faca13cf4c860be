package dev.pawl.hazelcast.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import com.hazelcast.spi.properties.ClusterProperty;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Asks a member how it keeps our map, and has it begin to sweep that. */
public final class MemberProbe
    implements Callable<byte[]>, DataSerializable, HazelcastInstanceAware {

  /** A property: a call whose backups were not confirmed fails, and does not count on one copy. */
  public static final String FAIL_IF_NOT_BACKED_UP =
      ClusterProperty.FAIL_ON_INDETERMINATE_OPERATION_STATE.getName();

  private String prefix = "";
  private transient @Nullable HazelcastInstance member;

  /** For Hazelcast. */
  public MemberProbe() {}

  MemberProbe(String prefix) {
    this.prefix = prefix;
  }

  /** Asks all members that keep data. */
  public static Map<Member, Future<byte[]>> ask(HazelcastInstance instance, String prefix) {
    List<Member> members =
        instance.getCluster().getMembers().stream().filter(m -> !m.isLiteMember()).toList();
    return instance
        .getExecutorService(MapNames.members(prefix))
        .submitToMembers(new MemberProbe(prefix), members);
  }

  @Override
  public void setHazelcastInstance(HazelcastInstance instance) {
    member = instance;
  }

  @Override
  public byte[] call() {
    if (member == null) {
      throw new IllegalStateException("Hazelcast gave no instance to its task");
    }
    MemberSweep.of(member).begin(prefix);
    MapConfig config = member.getConfig().findMapConfig(MapNames.locks(prefix));
    String fails =
        member
            .getConfig()
            .getProperties()
            .getProperty(FAIL_IF_NOT_BACKED_UP, System.getProperty(FAIL_IF_NOT_BACKED_UP, ""));
    return new MemberReport(
            config.getBackupCount(),
            config.getEvictionConfig().getEvictionPolicy() != EvictionPolicy.NONE
                || config.getMaxIdleSeconds() != 0,
            protection(config.getSplitBrainProtectionName(), member),
            fails.equals("true"))
        .encode();
  }

  private static int protection(@Nullable String name, HazelcastInstance member) {
    Map<String, SplitBrainProtectionConfig> all =
        member.getConfig().getSplitBrainProtectionConfigs();
    SplitBrainProtectionConfig protection = name == null ? null : all.get(name);
    return protection == null || !protection.isEnabled() ? 0 : protection.getMinimumClusterSize();
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    Wire.form(out);
    Wire.text(out, prefix);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    Wire.form(in);
    prefix = Wire.text(in);
  }
}
