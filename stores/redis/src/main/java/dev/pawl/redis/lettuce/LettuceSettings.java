package dev.pawl.redis.lettuce;

import dev.pawl.redis.port.RedisUrl;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.Transports;
import io.netty.channel.socket.SocketChannel;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How clients of Lettuce are set up. */
record LettuceSettings(Duration commandTimeout) {

  /** An application waits for its locks: a server that is back is to be found soon. */
  private static final Duration MOST_RECONNECT_DELAY = Duration.ofMillis(500);

  private static final Duration LEAST_HANDSHAKE = Duration.ofSeconds(2);
  private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(10);
  private static final int THREADS = 2;

  ClientResources resources(Reconnects reconnects) {
    ClientResources own =
        ClientResources.builder()
            .ioThreadPoolSize(THREADS)
            .computationThreadPoolSize(THREADS)
            .addressResolverGroup(resolvers())
            .reconnectDelay(
                () ->
                    Delay.exponential(
                        Duration.ofMillis(5), MOST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS))
            .build();
    return resources(own, reconnects);
  }

  /**
   * Returns what a client has, with connections that are watched. It is not the copy that Lettuce
   * would make: that one takes the threads for its own.
   */
  ClientResources resources(ClientResources given, Reconnects reconnects) {
    NettyCustomizer watching = SilenceWatch.beside(given.nettyCustomizer(), commandTimeout);
    EventBus heard = reconnects.beside(given.eventBus());
    return (ClientResources)
        Proxy.newProxyInstance(
            ClientResources.class.getClassLoader(),
            new Class<?>[] {ClientResources.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "nettyCustomizer" -> watching;
                  case "eventBus" -> heard;
                  default -> Reconnects.asked(given, method, arguments);
                });
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

  List<RedisURI> uris(RedisUrl url) {
    return url.hosts().stream().map(host -> uri(url, host)).toList();
  }

  private RedisURI uri(RedisUrl url, RedisUrl.Host host) {
    RedisURI uri =
        RedisURI.Builder.redis(host.name(), host.port())
            .withSsl(url.tls())
            .withTimeout(handshake())
            .build();
    if (!url.scheme().equals("redis-cluster")) {
      uri.setDatabase(url.database());
    }
    authenticate(uri, url.user(), url.password());
    return uri;
  }

  /** A handshake is more than an answer, and the first one of a process loads many classes. */
  private Duration handshake() {
    return handshake(commandTimeout);
  }

  private static Duration handshake(Duration timeout) {
    return timeout.compareTo(LEAST_HANDSHAKE) < 0 ? LEAST_HANDSHAKE : timeout;
  }

  /** Allows handshakes as much time as the first one needs; also the later ones by these. */
  static void allow(Duration timeout, List<RedisURI> uris) {
    uris.forEach(uri -> uri.setTimeout(handshake(timeout)));
  }

  RedisURI sentinel(RedisUrl url) {
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
    RedisURI uri = builder.withSsl(url.tls()).withTimeout(handshake()).build();
    uri.setDatabase(url.database());
    authenticate(uri, url.user(), url.password());
    return uri;
  }

  private static void authenticate(RedisURI uri, @Nullable String user, @Nullable String password) {
    if (password != null) {
      uri.setCredentialsProvider(new StaticCredentialsProvider(user, password.toCharArray()));
    }
  }

  ClientOptions options() {
    return configured(ClientOptions.builder()).build();
  }

  ClusterClientOptions clusterOptions() {
    ClusterClientOptions.Builder builder = ClusterClientOptions.builder();
    configured(builder);
    return builder.topologyRefreshOptions(refreshing()).build();
  }

  /** Returns the options of a client that was handed in, as far as they are left to it. */
  ClusterClientOptions clusterOptions(ClientOptions given) {
    ClusterClientOptions.Builder builder =
        given instanceof ClusterClientOptions known
            ? known.mutate()
            : ClusterClientOptions.builder(given);
    sendingOnce(builder);
    return builder.topologyRefreshOptions(refreshing()).build();
  }

  private static ClusterTopologyRefreshOptions refreshing() {
    return ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(TOPOLOGY_REFRESH).build();
  }

  private ClientOptions.Builder configured(ClientOptions.Builder builder) {
    return sendingOnce(builder)
        .socketOptions(
            SocketOptions.builder().connectTimeout(commandTimeout).keepAlive(true).build());
  }

  /** What is not connected takes no commands, and what was sent and not answered has failed. */
  ClientOptions.Builder sendingOnce(ClientOptions.Builder builder) {
    return builder
        .autoReconnect(true)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .timeoutOptions(TimeoutOptions.enabled(commandTimeout));
  }
}
