package dev.pawl.testservers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Members of Hazelcast in processes of their own, on this machine's loopback interface. Each can be
 * killed, paused and started again; and if they were started with {@link Setup#behindProxies()},
 * some can be cut off from the others while clients still reach all of them.
 */
public final class HazelcastCluster implements AutoCloseable {

  private static final int ATTEMPTS = 5;

  private final Setup setup;
  private final String name;
  private final List<Integer> ports = new ArrayList<>();
  private final List<Integer> publicPorts = new ArrayList<>();
  private final List<Integer> clientPorts = new ArrayList<>();
  private final List<HazelcastMember> members = new ArrayList<>();
  private final List<MemberProxy> proxies = new ArrayList<>();

  /**
   * What members are started with.
   *
   * @param classPath Hazelcast, and whatever else they are to know
   * @param mainClass what starts a member from the file in {@code hazelcast.config}
   * @param properties more of Hazelcast's
   * @param maps the XML of maps
   * @param proxied whether members reach each other by way of proxies
   * @param apart whether clients have a port of their own ({@code advanced-network})
   */
  public record Setup(
      String classPath,
      String mainClass,
      Map<String, String> properties,
      String maps,
      boolean proxied,
      boolean apart) {

    /** Members as Hazelcast's own program starts them. */
    public static Setup of(String classPath) {
      return new Setup(
          classPath,
          "com.hazelcast.core.server.HazelcastMemberStarter",
          Map.of(),
          "",
          false,
          false);
    }

    /** Returns this with another program. */
    public Setup withMain(Class<?> main) {
      return new Setup(classPath, main.getName(), properties, maps, proxied, apart);
    }

    /** Returns this with one more property. */
    public Setup with(String property, String value) {
      Map<String, String> all = new LinkedHashMap<>(properties);
      all.put(property, value);
      return new Setup(classPath, mainClass, all, maps, proxied, apart);
    }

    /** Returns this with maps of one's own, as XML. */
    public Setup withMaps(String xml) {
      return new Setup(classPath, mainClass, properties, xml, proxied, apart);
    }

    /** Returns this with members that can be cut off from each other. */
    public Setup behindProxies() {
      return new Setup(classPath, mainClass, properties, maps, true, apart);
    }

    /** Returns this with a port of their own for clients. */
    public Setup withClientsApart() {
      return new Setup(classPath, mainClass, properties, maps, proxied, true);
    }
  }

  private HazelcastCluster(Setup setup, int size) {
    this.setup = setup;
    this.name = "pawl-" + Long.toString(System.nanoTime(), 36);
    for (int i = 0; i < size; i++) {
      ports.add(ServerStart.freePort());
      publicPorts.add(setup.proxied ? ServerStart.freePort() : ports.get(i));
      clientPorts.add(setup.apart ? ServerStart.freePort() : publicPorts.get(i));
    }
  }

  /** Starts so many members, and waits until they are one cluster. */
  public static HazelcastCluster start(int size, Setup setup) {
    for (int attempt = 1; ; attempt++) {
      HazelcastCluster cluster = new HazelcastCluster(setup, size);
      try {
        cluster.startAll(size);
        return cluster;
      } catch (ServerStart.FailedException e) {
        cluster.close();
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void startAll(int size) {
    for (int i = 0; i < size; i++) {
      if (setup.proxied) {
        proxies.add(new MemberProxy(publicPorts.get(i), address(i), ports.get(i)));
      }
      members.add(new HazelcastMember(this, address(i), ports.get(i), publicPorts.get(i)));
      // Two that start together may each begin a cluster: the others come when there is one.
      members.get(i).awaitMembers(i + 1);
    }
  }

  /** A member that is behind a proxy shows by its address who it is. */
  private String address(int index) {
    return setup.proxied ? "127.0.0." + (index + 2) : "127.0.0.1";
  }

  String xml(int port, String at) {
    String list =
        IntStream.range(0, ports.size())
            .mapToObj(i -> "<member>" + address(i) + ":" + publicPorts.get(i) + "</member>")
            .collect(Collectors.joining());
    String shown = setup.proxied ? "<public-address>" + at + "</public-address>" : "";
    String join =
        """
        <join>
          <auto-detection enabled="false"/>
          <multicast enabled="false"/>
          <tcp-ip enabled="true" connection-timeout-seconds="2">%s</tcp-ip>
        </join>
        """
            .formatted(list);
    return """
        <hazelcast xmlns="http://www.hazelcast.com/schema/config">
          <cluster-name>%s</cluster-name>
          %s
          %s
        </hazelcast>
        """
        .formatted(name, setup.apart ? apart(port, join) : network(shown, port, join), setup.maps);
  }

  private static String network(String shown, int port, String join) {
    return "<network>" + shown + port(port) + join + "</network>";
  }

  private String apart(int port, String join) {
    return """
        <advanced-network enabled="true">
          %s
          <member-server-socket-endpoint-config>%s</member-server-socket-endpoint-config>
          <client-server-socket-endpoint-config>%s</client-server-socket-endpoint-config>
        </advanced-network>
        """
        .formatted(join, port(port), port(clientPorts.get(ports.indexOf(port))));
  }

  private static String port(int port) {
    return "<port auto-increment=\"false\" port-count=\"1\">" + port + "</port>";
  }

  String classPath() {
    return setup.classPath;
  }

  String mainClass() {
    return setup.mainClass;
  }

  Map<String, String> properties() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("hazelcast.phone.home.enabled", "false");
    all.put("hazelcast.shutdownhook.enabled", "false");
    all.put("hazelcast.socket.bind.any", "false");
    all.put("hazelcast.socket.client.bind.any", "false");
    all.put("hazelcast.wait.seconds.before.join", "0");
    all.put("hazelcast.max.wait.seconds.before.join", "0");
    all.put("hazelcast.partition.count", "71");
    all.put("hazelcast.operation.thread.count", "2");
    all.put("hazelcast.operation.generic.thread.count", "2");
    all.put("hazelcast.io.thread.count", "2");
    all.put("hazelcast.event.thread.count", "1");
    all.put("hazelcast.heartbeat.interval.seconds", "1");
    all.put("hazelcast.max.no.heartbeat.seconds", "15");
    all.put("hazelcast.merge.first.run.delay.seconds", "5");
    all.put("hazelcast.merge.next.run.delay.seconds", "5");
    all.putAll(setup.properties);
    return all;
  }

  /** Returns the name of the cluster. */
  public String name() {
    return name;
  }

  /** Returns a member by its number, from 0. */
  public HazelcastMember member(int index) {
    return members.get(index);
  }

  /** Returns the URL of a store in it. */
  public String url() {
    return "hazelcast://"
        + name
        + "@"
        + IntStream.range(0, members.size())
            .mapToObj(i -> members.get(i).address() + ":" + clientPorts.get(i))
            .collect(Collectors.joining(","));
  }

  /** Cuts these members off from the others: connections end, and none is accepted. */
  public void cut(Integer... side) {
    Set<String> addresses = Set.of(side).stream().map(this::address).collect(Collectors.toSet());
    proxies.forEach(proxy -> proxy.separate(addresses));
  }

  /** Lets all members reach each other again. */
  public void heal() {
    proxies.forEach(proxy -> proxy.separate(Set.of()));
  }

  @Override
  public void close() {
    members.forEach(HazelcastMember::close);
    proxies.forEach(MemberProxy::close);
  }
}
