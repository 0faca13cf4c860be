package dev.pawl.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Members in the process of the test, as an application has them that embeds Hazelcast. */
public final class Embedded implements AutoCloseable {

  private static final int FIRST_PORT = 15_701;

  private final String name = "pawl-" + Long.toString(System.nanoTime(), 36);
  private final List<HazelcastInstance> members = new ArrayList<>();
  private final int minimum;

  public Embedded(int size) {
    this(size, 0);
  }

  /** With {@link HazelcastMembers} if the minimum is not zero. */
  public Embedded(int size, int minimum) {
    this.minimum = minimum;
    for (int i = 0; i < size; i++) {
      add();
    }
  }

  /** Starts one more member. */
  public HazelcastInstance add() {
    return add(config -> {});
  }

  /** Starts one more member that is configured further. */
  public HazelcastInstance add(Consumer<Config> more) {
    Config config = new Config();
    config.setClusterName(name);
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.max.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.partition.count", "71");
    config.setProperty("hazelcast.operation.thread.count", "2");
    config.getNetworkConfig().setPort(FIRST_PORT).setPortAutoIncrement(true).setPortCount(1_000);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true);
    members.forEach(
        member ->
            join.getTcpIpConfig()
                .addMember(
                    "127.0.0.1:" + member.getCluster().getLocalMember().getAddress().getPort()));
    more.accept(config);
    HazelcastInstance member =
        Hazelcast.newHazelcastInstance(
            minimum == 0 ? config : HazelcastMembers.configure(config, minimum));
    members.add(member);
    return member;
  }

  public HazelcastInstance member(int index) {
    return members.get(index);
  }

  @Override
  public void close() {
    members.forEach(member -> member.getLifecycleService().terminate());
  }
}
