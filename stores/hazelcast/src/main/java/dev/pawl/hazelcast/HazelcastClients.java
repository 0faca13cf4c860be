package dev.pawl.hazelcast;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.config.ClientConnectionStrategyConfig;
import com.hazelcast.client.properties.ClientProperty;
import com.hazelcast.config.InvalidConfigurationException;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleListener;
import dev.pawl.StoreUnavailableException;
import dev.pawl.hazelcast.member.MemberProbe;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Opens stores: with a client of our own, or over an instance of the application. */
final class HazelcastClients {

  private static final int PROBE_MILLIS = 1_000;

  private HazelcastClients() {}

  static HazelcastStore open(HazelcastUrl url, HazelcastOptions base) {
    HazelcastOptions options = url.options(base);
    HazelcastInstance client = connect(url, options);
    try {
      return checked(client, true, url.toString(), options);
    } catch (RuntimeException e) {
      client.shutdown();
      throw e;
    }
  }

  /** Starts a client, and waits until it is connected. */
  static HazelcastInstance connect(HazelcastUrl url, HazelcastOptions options) {
    CountDownLatch connected = new CountDownLatch(1);
    HazelcastInstance client = HazelcastClient.newHazelcastClient(config(url, connected));
    try {
      if (connected.await(options.connectTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
        AllMembers.connect(client, options.timeout());
        return client;
      }
    } catch (InterruptedException e) {
      client.shutdown();
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("interrupted while connecting to " + url, e);
    }
    client.shutdown();
    throw new StoreUnavailableException(unreachable(url, options), null);
  }

  static HazelcastStore over(HazelcastInstance instance, HazelcastOptions options) {
    String where =
        "hazelcast://" + instance.getConfig().getClusterName() + " by way of " + instance.getName();
    return checked(instance, false, where, options);
  }

  private static ClientConfig config(HazelcastUrl url, CountDownLatch connected) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(url.cluster());
    config.getNetworkConfig().setAddresses(url.hosts()).setConnectionTimeout(2_000);
    // Backups confirm to the client, which spares the owner a message and three changes of thread.
    // One to which the client has no connection yet cannot: the outcome is unknown then, and the
    // node asks again; by default Hazelcast would wait for 5 s, and take no confirmation for one.
    config.setBackupAckToClientEnabled(true);
    config.setProperty(ClientProperty.OPERATION_BACKUP_TIMEOUT_MILLIS.getName(), "500");
    config.setProperty(ClientProperty.FAIL_ON_INDETERMINATE_OPERATION_STATE.getName(), "true");
    // What is done with an answer does not block: the thread that reads it can do it.
    config.setProperty("hazelcast.client.response.thread.count", "0");
    // It connects in the background and for as long as it takes; the first wait is ours.
    ClientConnectionStrategyConfig strategy = config.getConnectionStrategyConfig();
    strategy.setAsyncStart(true);
    strategy.setReconnectMode(ClientConnectionStrategyConfig.ReconnectMode.ASYNC);
    strategy
        .getConnectionRetryConfig()
        .setInitialBackoffMillis(100)
        .setMaxBackoffMillis(1_000)
        .setJitter(0.2);
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.client.heartbeat.interval", "1000");
    config.setProperty("hazelcast.client.heartbeat.timeout", "5000");
    // Shorter than an ended claim is remembered: no copy of an acquire comes later than that (I5).
    config.setProperty("hazelcast.client.invocation.timeout.seconds", "20");
    LifecycleListener listener =
        event -> {
          if (event.getState() == LifecycleEvent.LifecycleState.CLIENT_CONNECTED) {
            connected.countDown();
          }
        };
    config.addListenerConfig(new ListenerConfig(listener));
    return config;
  }

  /**
   * Makes the maps what they have to be, and asks every member once: whether it knows Pawl, and so
   * that there is a connection to it when the first signal comes.
   */
  private static HazelcastStore checked(
      HazelcastInstance instance, boolean own, String where, HazelcastOptions options) {
    for (String map : List.of(options.locks(), options.journal(), options.registers())) {
      try {
        instance.getConfig().addMapConfig(HazelcastMembers.map(map));
      } catch (InvalidConfigurationException e) {
        // The application has configured it; what is amiss there is a finding of examine().
      } catch (RuntimeException e) {
        throw HazelcastErrors.of(where, e, false);
      }
    }
    HazelcastStore store = new HazelcastStore(instance, own, where, options);
    try {
      for (Future<?> answer : MemberProbe.ask(instance, options.prefix()).values()) {
        await(answer, options);
      }
      return store;
    } catch (ExecutionException e) {
      store.close();
      throw HazelcastErrors.of(where, e, false);
    } catch (InterruptedException e) {
      store.close();
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("interrupted while connecting to " + where, e);
    }
  }

  private static void await(Future<?> answer, HazelcastOptions options)
      throws ExecutionException, InterruptedException {
    try {
      answer.get(options.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // A member that is silent: its names fail by themselves, until it answers or is given up.
    }
  }

  /** Says what is wrong: nobody listens there, or somebody who does not let this client in. */
  private static String unreachable(HazelcastUrl url, HazelcastOptions options) {
    for (String host : url.hosts()) {
      int colon = host.lastIndexOf(':');
      String name = host.substring(0, colon).replaceAll("[\\[\\]]", "");
      try (Socket socket = new Socket()) {
        socket.connect(
            new InetSocketAddress(name, Integer.parseInt(host.substring(colon + 1))), PROBE_MILLIS);
        return host
            + " does not accept a client of cluster \""
            + url.cluster()
            + "\"; the name of the cluster stands before the @: hazelcast://CLUSTER@HOST:PORT";
      } catch (IOException e) {
        // The next one may answer.
      }
    }
    return "cannot connect to "
        + url
        + " within "
        + options.connectTimeout().toMillis()
        + " ms; is a member running there?";
  }
}
