package dev.pawl.bench;

import dev.pawl.Pawl;
import dev.pawl.redis.RedisStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/** One way to take and free a lock in Redis. */
interface RedisBenchPeer extends AutoCloseable {

  /** Compare and delete, the other half of {@code SET NX PX}. */
  String UNLOCK =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

  /** Returns what it is called in the table. */
  String name();

  /** Takes the lock and frees it. */
  void pair(String lock) throws Exception;

  @Override
  void close();

  /** Connects all of them to one server. */
  static List<RedisBenchPeer> all(int port) {
    return List.of(
        rawJedis(port),
        rawLettuce(port),
        pawl(port, "lettuce"),
        pawl(port, "jedis"),
        redisson(port),
        spring(port));
  }

  /** The driver alone; waits by asking again. */
  static RedisBenchPeer rawJedis(int port) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(64);
    pool.setMaxIdle(64);
    UnifiedJedis jedis =
        redis.clients.jedis.RedisClient.builder()
            .hostAndPort(new HostAndPort("127.0.0.1", port))
            .poolConfig(pool)
            .build();
    String sha = jedis.scriptLoad(UNLOCK);
    SetParams params = SetParams.setParams().nx().px(10_000);
    return new Simple("raw Jedis", jedis::close) {
      @Override
      public void pair(String lock) {
        String owner = UUID.randomUUID().toString();
        while (jedis.set("raw:" + lock, owner, params) == null) {
          Thread.onSpinWait();
        }
        jedis.evalsha(sha, List.of("raw:" + lock), List.of(owner));
      }
    };
  }

  /** The driver alone; waits by asking again. */
  static RedisBenchPeer rawLettuce(int port) {
    RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
    StatefulRedisConnection<String, String> connection = client.connect();
    String sha = connection.sync().scriptLoad(UNLOCK);
    SetArgs args = SetArgs.Builder.nx().px(10_000);
    return new Simple("raw Lettuce", client::shutdown) {
      @Override
      public void pair(String lock) {
        String owner = UUID.randomUUID().toString();
        while (connection.sync().set("rawl:" + lock, owner, args) == null) {
          Thread.onSpinWait();
        }
        connection
            .sync()
            .evalsha(sha, ScriptOutputType.INTEGER, new String[] {"rawl:" + lock}, owner);
      }
    };
  }

  /** Pawl at its defaults. */
  static RedisBenchPeer pawl(int port, String client) {
    RedisStore store =
        RedisStore.open("redis://127.0.0.1:" + port + "?prefix=" + client + "&client=" + client);
    Pawl pawl = Pawl.builder(store).build();
    Runnable end =
        () -> {
          pawl.close();
          store.close();
        };
    return new Simple("Pawl (" + client + ")", end) {
      @Override
      public void pair(String lock) throws InterruptedException {
        pawl.lock(lock).acquire().close();
      }
    };
  }

  /** Redisson's lock at its defaults. */
  static RedisBenchPeer redisson(int port) {
    Config config = new Config();
    config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
    RedissonClient client = Redisson.create(config);
    return new Simple("Redisson", client::shutdown) {
      @Override
      public void pair(String name) {
        RLock lock = client.getLock("redisson:" + name);
        lock.lock();
        try {
          Thread.onSpinWait();
        } finally {
          lock.unlock();
        }
      }
    };
  }

  /** Spring Integration's registry, with its default way of waiting. */
  static RedisBenchPeer spring(int port) {
    LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
    factory.afterPropertiesSet();
    factory.start();
    RedisLockRegistry registry = new RedisLockRegistry(factory, "spring", 10_000);
    return new Simple("Spring Integration", factory::destroy) {
      @Override
      public void pair(String name) throws InterruptedException {
        Lock lock = registry.obtain(name);
        if (lock.tryLock(10, TimeUnit.SECONDS)) {
          lock.unlock();
        }
      }
    };
  }

  /** What all have in common. */
  abstract class Simple implements RedisBenchPeer {
    private final String name;
    private final Runnable onClose;

    Simple(String name, Runnable onClose) {
      this.name = name;
      this.onClose = onClose;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void close() {
      onClose.run();
    }
  }
}
