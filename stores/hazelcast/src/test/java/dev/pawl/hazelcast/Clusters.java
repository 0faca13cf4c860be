package dev.pawl.hazelcast;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import dev.pawl.testservers.HazelcastCluster;
import java.time.Duration;
import java.util.List;

/** Clusters for tests. */
public final class Clusters {

  /** Longer than a busy machine is silent: what is tested is the store, not the machine. */
  public static final HazelcastOptions PATIENT =
      HazelcastOptions.DEFAULT
          .withTimeout(Duration.ofSeconds(20))
          .withConnectTimeout(Duration.ofSeconds(120));

  private Clusters() {}

  /** Members that have Pawl on their class path. */
  public static HazelcastCluster.Setup withPawl() {
    return HazelcastCluster.Setup.of(System.getProperty("java.class.path"));
  }

  /** Members that were prepared by {@link HazelcastMembers}. */
  public static HazelcastCluster.Setup protectedBy(int minimum) {
    return withPawl().withMain(ProtectedMember.class).with(ProtectedMember.MINIMUM, "" + minimum);
  }

  /** Members that know nothing but Hazelcast. */
  public static HazelcastCluster.Setup withoutPawl() {
    return HazelcastCluster.Setup.of(
        HazelcastInstance.class.getProtectionDomain().getCodeSource().getLocation().getPath());
  }

  /** A client as an application has one. */
  public static HazelcastInstance client(HazelcastCluster cluster) {
    return client(cluster.name(), HazelcastUrl.parse(cluster.url()).hosts(), new ClientConfig());
  }

  /** A client of a member in this process. */
  public static HazelcastInstance client(HazelcastInstance member) {
    return client(member, new ClientConfig());
  }

  /** A client of a member in this process, configured further. */
  public static HazelcastInstance client(HazelcastInstance member, ClientConfig config) {
    int port = member.getCluster().getLocalMember().getAddress().getPort();
    return client(member.getConfig().getClusterName(), List.of("127.0.0.1:" + port), config);
  }

  private static HazelcastInstance client(String name, List<String> hosts, ClientConfig config) {
    config.setClusterName(name);
    config.setProperty("hazelcast.logging.type", "slf4j");
    hosts.forEach(config.getNetworkConfig()::addAddress);
    return HazelcastClient.newHazelcastClient(config);
  }
}
