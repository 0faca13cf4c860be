package dev.pawl.redis.lettuce;

import dev.pawl.PawlException;
import dev.pawl.redis.port.FirstConnection;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Ports over Lettuce: with a client of the application, or with one of their own. */
public final class LettucePorts {

  private static final String CLUSTER = "redis-cluster";

  private LettucePorts() {}

  /** Opens a port with a client of its own. */
  public static RedisPort open(RedisUrl url, Duration commandTimeout) {
    String where = url.toString();
    LettuceSettings settings = new LettuceSettings(commandTimeout);
    // First what may be wrong with the URL, and then the threads.
    List<RedisURI> uris =
        url.scheme().equals("redis-sentinel")
            ? List.of(settings.sentinel(url))
            : settings.uris(url);
    RedisURI uri = uris.get(0);
    Reconnects reconnects = new Reconnects();
    ClientResources resources = settings.resources(reconnects);
    if (url.scheme().equals(CLUSTER)) {
      RedisClusterClient client = RedisClusterClient.create(resources, uris);
      client.setOptions(settings.clusterOptions());
      Runnable end = () -> shutdown(client, resources);
      return first(
          where,
          commandTimeout,
          patience -> {
            LettuceSettings.allow(patience, uris);
            return new LettuceCluster(client, Optional.of(uri), where, reconnects, end);
          },
          end);
    }
    RedisClient client = client(resources, settings);
    Runnable end = () -> shutdown(client, resources);
    return first(
        where,
        commandTimeout,
        patience -> {
          LettuceSettings.allow(patience, uris);
          return new LettuceServer(client, uri, where, reconnects, end);
        },
        end);
  }

  /** Opens a port over a client that the caller owns; the URI may name Sentinels. */
  public static RedisPort over(RedisClient client, RedisURI uri, Duration commandTimeout) {
    String where = describe(uri);
    LettuceSettings settings = new LettuceSettings(commandTimeout);
    Reconnects reconnects = new Reconnects();
    RedisClient own = RedisClient.create(settings.resources(client.getResources(), reconnects));
    own.setOptions(settings.sendingOnce(client.getOptions().mutate()).build());
    Runnable end = () -> own.shutdown(0, 2, TimeUnit.SECONDS);
    return first(
        where,
        commandTimeout,
        patience -> new LettuceServer(own, uri, where, reconnects, end),
        end);
  }

  /** Opens a port over a client of a cluster that the caller owns, and its connections. */
  public static RedisPort over(RedisClusterClient client) {
    if (!rejectsWhileDisconnected(client.getOptions())) {
      throw new IllegalArgumentException(
          "this client sends commands again by itself when a connection breaks, and a late copy"
              + " takes a lock for nobody; set its disconnectedBehavior to REJECT_COMMANDS, or hand"
              + " in the URI of a server with it");
    }
    return connect(
        CLUSTER,
        () -> new LettuceCluster(client, Optional.empty(), CLUSTER, new Reconnects(), () -> {}));
  }

  /** As Lettuce 7 tells by itself, and Lettuce 6 does not. */
  private static boolean rejectsWhileDisconnected(ClientOptions options) {
    return switch (options.getDisconnectedBehavior()) {
      case REJECT_COMMANDS -> true;
      case ACCEPT_COMMANDS -> false;
      case DEFAULT -> !options.isAutoReconnect();
    };
  }

  /** Opens a port over a client of a cluster that the caller owns, with connections of its own. */
  public static RedisPort over(RedisClusterClient client, RedisURI uri, Duration commandTimeout) {
    LettuceSettings settings = new LettuceSettings(commandTimeout);
    Reconnects reconnects = new Reconnects();
    RedisClusterClient own =
        RedisClusterClient.create(settings.resources(client.getResources(), reconnects), uri);
    own.setOptions(settings.clusterOptions(client.getOptions()));
    Runnable end = () -> own.shutdown(0, 2, TimeUnit.SECONDS);
    return first(
        CLUSTER,
        commandTimeout,
        patience -> new LettuceCluster(own, Optional.of(uri), CLUSTER, reconnects, end),
        end);
  }

  private static RedisClient client(ClientResources resources, LettuceSettings settings) {
    RedisClient client = RedisClient.create(resources);
    client.setOptions(settings.options());
    return client;
  }

  /** One client for several servers, so that what is sent to all wakes few threads. */
  public static final class Shared implements AutoCloseable {
    private final ClientResources resources;
    private final LettuceSettings settings;
    private final RedisClient client;
    private final Reconnects reconnects = new Reconnects();

    public Shared(Duration commandTimeout) {
      this.settings = new LettuceSettings(commandTimeout);
      this.resources = settings.resources(reconnects);
      this.client = client(resources, settings);
    }

    /** Opens a port to one server, which is closed before this is. */
    public RedisPort open(RedisUrl url) {
      RedisURI uri = settings.uris(url).get(0);
      String where = url.toString();
      return connect(where, () -> new LettuceServer(client, uri, where, reconnects, () -> {}));
    }

    @Override
    public void close() {
      shutdown(client, resources);
    }
  }

  /** Connects for as long as a first connection may take, and gives the client up after that. */
  private static RedisPort first(
      String where,
      Duration commandTimeout,
      Function<Duration, LettuceLink> opening,
      Runnable onFailure) {
    try {
      return new FirstConnection(commandTimeout)
          .open(patience -> connect(where, () -> opening.apply(patience)));
    } catch (PawlException e) {
      onFailure.run();
      throw e;
    }
  }

  private static RedisPort connect(String where, Supplier<LettuceLink> opening) {
    try {
      return new LettucePort(opening.get());
    } catch (RedisException e) {
      throw LettuceErrors.atFirst(where, e);
    }
  }

  private static void shutdown(AbstractRedisClient client, ClientResources resources) {
    resources.addressResolverGroup().close(); // While there are threads to close its sockets.
    client.shutdown(0, 2, TimeUnit.SECONDS);
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }

  private static String describe(RedisURI uri) {
    return uri.getSentinels().isEmpty()
        ? "redis://" + uri.getHost() + ":" + uri.getPort()
        : "redis-sentinel://" + uri.getSentinelMasterId();
  }
}
