package dev.pawl.bench.redis;

import dev.pawl.bench.contest.Competitor;
import dev.pawl.bench.peer.JavaLocks;
import java.util.ArrayList;
import java.util.List;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson at its defaults. */
final class RedissonLocks {

  private RedissonLocks() {}

  static Competitor plain(String address) {
    RedissonClient client = connect(address);
    return new JavaLocks(name -> client.getLock("redisson:" + name), client::shutdown);
  }

  static Competitor fair(String address) {
    RedissonClient client = connect(address);
    return new JavaLocks(name -> client.getFairLock("redisson-fair:" + name), client::shutdown);
  }

  /** Over several servers, whose addresses are separated by commas. */
  @SuppressWarnings("deprecation") // Its makers would rather have it forgotten; it is the peer.
  static Competitor redLock(String addresses) {
    List<RedissonClient> clients = new ArrayList<>();
    for (String address : addresses.split(",", -1)) {
      clients.add(connect(address));
    }
    return new JavaLocks(
        name ->
            new RedissonRedLock(
                clients.stream()
                    .map(client -> client.getLock("redisson:" + name))
                    .toArray(RLock[]::new)),
        () -> clients.forEach(RedissonClient::shutdown));
  }

  private static RedissonClient connect(String address) {
    Config config = new Config();
    config.useSingleServer().setAddress(address);
    return Redisson.create(config);
  }
}
