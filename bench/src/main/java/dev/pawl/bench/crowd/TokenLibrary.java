package dev.pawl.bench.crowd;

import dev.pawl.testservers.RespClient;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The raw commands: tokens in a list that are waited for by {@code BLPOP}, with a connection for
 * each caller. It has no lease: a token that is lost with its holder is lost for ever.
 */
final class TokenLibrary implements Library {

  private final ThreadLocal<RespClient> connections;
  private final Set<String> created = ConcurrentHashMap.newKeySet();

  TokenLibrary(String address) {
    int port = URI.create(address).getPort();
    this.connections = ThreadLocal.withInitial(() -> new RespClient(port));
  }

  @Override
  public Hold permit(int node, String name, int capacity) {
    String key = "token:" + name;
    RespClient client = connections.get();
    if (created.add(key) && Long.valueOf(1).equals(client.call("SETNX", key + ":created", "1"))) {
      for (int i = 0; i < capacity; i++) {
        client.call("RPUSH", key, "token");
      }
    }
    client.call("BLPOP", key, "0");
    return new Hold() {
      @Override
      public boolean isHeld() {
        return true;
      }

      @Override
      public void release() {
        client.call("RPUSH", key, "token");
      }
    };
  }

  @Override
  public Hold read(int node, String name) {
    throw new UnsupportedOperationException("a token has no readers");
  }

  @Override
  public Hold lock(int node, String name) {
    return permit(node, name, 1);
  }

  @Override
  public void close() {}
}
