package dev.pawl.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import dev.pawl.hazelcast.member.MemberProbe;

/** What the members of a cluster are configured with where they are the application's own. */
public final class HazelcastMembers {

  private HazelcastMembers() {}

  /**
   * Prepares a member's configuration before the member is started: the maps of the default prefix
   * with one backup and split-brain protection, and calls that fail if no backup confirms them.
   *
   * @param minimumMembers how many members have to be together for locks to be granted: more than
   *     half of the cluster, as 2 of 3
   */
  public static Config configure(Config config, int minimumMembers) {
    return configure(config, minimumMembers, HazelcastOptions.DEFAULT);
  }

  /** Prepares a member's configuration for the maps of other options. */
  public static Config configure(Config config, int minimumMembers, HazelcastOptions options) {
    String protection = options.prefix() + ".protection";
    config.addSplitBrainProtectionConfig(
        new SplitBrainProtectionConfig(protection, true, minimumMembers)
            .setProtectOn(SplitBrainProtectionOn.READ_WRITE));
    config.addMapConfig(map(options.locks()).setSplitBrainProtectionName(protection));
    config.addMapConfig(map(options.registers()).setSplitBrainProtectionName(protection));
    config.addMapConfig(map(options.journal()));
    config.setProperty(MemberProbe.FAIL_IF_NOT_BACKED_UP, "true");
    return config;
  }

  /** Nothing in it goes unless we say so, and one member may die. */
  static MapConfig map(String name) {
    MapConfig map = new MapConfig(name);
    map.setBackupCount(1);
    map.setAsyncBackupCount(0);
    map.setInMemoryFormat(InMemoryFormat.BINARY);
    map.setReadBackupData(false);
    map.setTimeToLiveSeconds(0);
    map.setMaxIdleSeconds(0);
    map.getEvictionConfig().setEvictionPolicy(EvictionPolicy.NONE);
    return map;
  }
}
