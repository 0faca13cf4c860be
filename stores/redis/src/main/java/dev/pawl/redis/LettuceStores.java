package dev.pawl.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.Transports;
import io.netty.channel.socket.SocketChannel;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Stores over Lettuce: with a client of the application, or with one of their own. */
public final class LettuceStores {

  /** An application waits for its locks: a server that is back is to be found soon. */
  private static final Duration MOST_RECONNECT_DELAY = Duration.ofMillis(500);

  private static final Duration LEAST_HANDSHAKE = Duration.ofSeconds(2);
  private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(10);
  private static final int THREADS = 2;

  private LettuceStores() {}

  /**
   * Opens a store over a client that the caller owns; the URI may name Sentinels.
   *
   * <p>The store uses the client's threads and its options but one: a command is never sent again
   * when a connection breaks, since the first copy may arrive when its claim has ended. The engine
   * repeats what is to be repeated.
   */
  public static RedisStore over(RedisClient client, RedisURI uri, RedisOptions options) {
    return new RedisStore(port(client, uri, options), options);
  }

  /**
   * Opens a store over a client of a cluster that the caller owns. Messages to waiters go by way of
   * all servers, since Lettuce does not tell how it logs in; with a URI they need not.
   *
   * @throws IllegalArgumentException if the client sends commands again when a connection breaks,
   *     as it does by default: its {@code disconnectedBehavior} must be {@code REJECT_COMMANDS}
   */
  public static RedisStore over(RedisClusterClient client, RedisOptions options) {
    if (!client.getOptions().isRejectCommandsWhileDisconnected()) {
      throw new IllegalArgumentException(
          "this client sends commands again by itself when a connection breaks, and a late copy"
              + " takes a lock for nobody; set its disconnectedBehavior to REJECT_COMMANDS, or hand"
              + " in the URI of a server with it");
    }
    String where = "redis-cluster";
    return connected(
        where,
        () -> new LettuceCluster(client, Optional.empty(), where, () -> {}),
        options,
        () -> {});
  }

  /**
   * Opens a store over a client of a cluster that the caller owns. It opens connections of its own
   * to the masters; of the client it uses the threads, and the options as {@link #over(RedisClient,
   * RedisURI, RedisOptions)} does.
   *
   * @param uri of any server; its credentials and TLS are used for all
   */
  public static RedisStore over(RedisClusterClient client, RedisURI uri, RedisOptions options) {
    String where = "redis-cluster";
    RedisClusterClient own = RedisClusterClient.create(client.getResources(), uri);
    ClusterClientOptions.Builder builder =
        client.getOptions() instanceof ClusterClientOptions known
            ? known.mutate()
            : ClusterClientOptions.builder(client.getOptions());
    sendingOnce(builder, options);
    own.setOptions(builder.topologyRefreshOptions(refreshing()).build());
    Runnable end = () -> own.shutdown(0, 2, TimeUnit.SECONDS);
    return connected(
        where, () -> new LettuceCluster(own, Optional.of(uri), where, end), options, end);
  }

  static LettucePort port(RedisClient client, RedisURI uri, RedisOptions options) {
    String where = describe(uri);
    RedisClient own = RedisClient.create(client.getResources());
    own.setOptions(sendingOnce(client.getOptions().mutate(), options).build());
    Runnable end = () -> own.shutdown(0, 2, TimeUnit.SECONDS);
    return connect(where, () -> new LettuceServer(own, uri, where, end), options, end);
  }

  static RedisStore open(RedisUrl url, RedisOptions options) {
    return new RedisStore(openPort(url, options), options);
  }

  /** Opens a port with a client of its own. */
  static LettucePort openPort(RedisUrl url, RedisOptions options) {
    String where = url.toString();
    // First what may be wrong with the URL, and then the threads.
    List<RedisURI> uris =
        url.scheme().equals("redis-sentinel")
            ? List.of(sentinel(url, options))
            : uris(url, options);
    RedisURI uri = uris.get(0);
    ClientResources resources = resources();
    if (url.scheme().equals("redis-cluster")) {
      RedisClusterClient client = RedisClusterClient.create(resources, uris);
      client.setOptions(clusterOptions(options));
      Runnable end = () -> shutdown(client, resources);
      return connect(
          where, () -> new LettuceCluster(client, Optional.of(uri), where, end), options, end);
    }
    RedisClient client = client(resources, options);
    Runnable end = () -> shutdown(client, resources);
    return connect(where, () -> new LettuceServer(client, uri, where, end), options, end);
  }

  private static ClientResources resources() {
    return ClientResources.builder()
        .ioThreadPoolSize(THREADS)
        .computationThreadPoolSize(THREADS)
        .addressResolverGroup(resolvers())
        .reconnectDelay(
            () ->
                Delay.exponential(
                    Duration.ofMillis(5), MOST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS))
        .build();
  }

  /**
   * Returns what Lettuce would take to look names up without blocking, but of our own: of the one
   * that all its clients share, a socket may stay behind with each client that is shut down (I10).
   */
  private static DnsAddressResolverGroup resolvers() {
    return new DnsAddressResolverGroup(
        new DnsNameResolverBuilder()
            .datagramChannelType(Transports.datagramChannelClass())
            .socketChannelType(Transports.socketChannelClass().asSubclass(SocketChannel.class)));
  }

  private static RedisClient client(ClientResources resources, RedisOptions options) {
    RedisClient client = RedisClient.create(resources);
    client.setOptions(configured(ClientOptions.builder(), options).build());
    return client;
  }

  /** One client for several servers, so that what is sent to all wakes few threads. */
  static final class Shared implements AutoCloseable {
    private final ClientResources resources = resources();
    private final RedisOptions options;
    private final RedisClient client;

    Shared(RedisOptions options) {
      this.options = options;
      this.client = client(resources, options);
    }

    /** Opens a port to one server, which is closed before this is. */
    LettucePort open(RedisUrl url) {
      RedisURI uri = uris(url, options).get(0);
      String where = url.toString();
      return connect(
          where, () -> new LettuceServer(client, uri, where, () -> {}), options, () -> {});
    }

    @Override
    public void close() {
      shutdown(client, resources);
    }
  }

  private static RedisStore connected(
      String where, Opening link, RedisOptions options, Runnable onFailure) {
    return new RedisStore(connect(where, link, options, onFailure), options);
  }

  private static LettucePort connect(
      String where, Opening link, RedisOptions options, Runnable onFailure) {
    try {
      return new LettucePort(link.open(), options.commandTimeout());
    } catch (RedisException e) {
      onFailure.run();
      throw LettucePort.typed(where, root(e));
    }
  }

  /** An error answer at the handshake, such as a wrong password, is wrapped in one of I/O. */
  private static Throwable root(RedisException error) {
    return Unreachable.find(
            error, each -> each instanceof io.lettuce.core.RedisCommandExecutionException)
        .orElseGet(() -> new io.lettuce.core.RedisConnectionException(error.getMessage(), error));
  }

  private static List<RedisURI> uris(RedisUrl url, RedisOptions options) {
    return url.hosts().stream()
        .map(
            host -> {
              RedisURI uri =
                  RedisURI.Builder.redis(host.name(), host.port())
                      .withSsl(url.tls())
                      .withTimeout(handshake(options))
                      .build();
              if (!url.scheme().equals("redis-cluster")) {
                uri.setDatabase(url.database());
              }
              authenticate(uri, url.user(), url.password());
              return uri;
            })
        .toList();
  }

  /** A handshake is more than an answer, and the first one of a process loads many classes. */
  private static Duration handshake(RedisOptions options) {
    Duration timeout = options.commandTimeout();
    return timeout.compareTo(LEAST_HANDSHAKE) < 0 ? LEAST_HANDSHAKE : timeout;
  }

  private static RedisURI sentinel(RedisUrl url, RedisOptions options) {
    if (url.path().isEmpty()) {
      throw new IllegalArgumentException(
          "a redis-sentinel:// URL ends with the master's name, as in /mymaster");
    }
    RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(url.path());
    for (RedisUrl.Host host : url.hosts()) {
      RedisURI sentinel = RedisURI.Builder.redis(host.name(), host.port()).build();
      authenticate(sentinel, url.sentinelUser(), url.sentinelPassword());
      builder.withSentinel(sentinel);
    }
    RedisURI uri = builder.withSsl(url.tls()).withTimeout(handshake(options)).build();
    uri.setDatabase(url.database());
    authenticate(uri, url.user(), url.password());
    return uri;
  }

  private static void authenticate(RedisURI uri, @Nullable String user, @Nullable String password) {
    if (password != null) {
      uri.setCredentialsProvider(
          new io.lettuce.core.StaticCredentialsProvider(user, password.toCharArray()));
    }
  }

  private static ClusterClientOptions clusterOptions(RedisOptions options) {
    ClusterClientOptions.Builder builder = ClusterClientOptions.builder();
    configured(builder, options);
    return builder.topologyRefreshOptions(refreshing()).build();
  }

  private static ClusterTopologyRefreshOptions refreshing() {
    return ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(TOPOLOGY_REFRESH).build();
  }

  private static ClientOptions.Builder configured(
      ClientOptions.Builder builder, RedisOptions options) {
    return sendingOnce(builder, options)
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(options.commandTimeout())
                .keepAlive(true)
                .build());
  }

  /** What is not connected takes no commands, and what was sent and not answered has failed. */
  private static ClientOptions.Builder sendingOnce(
      ClientOptions.Builder builder, RedisOptions options) {
    return builder
        .autoReconnect(true)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .timeoutOptions(TimeoutOptions.enabled(options.commandTimeout()));
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

  /** Opens the connections. */
  private interface Opening {
    LettuceLink open();
  }
}
