package dev.pawl.hazelcast.member;

import com.hazelcast.client.HazelcastClientNotActiveException;
import com.hazelcast.client.impl.clientside.HazelcastClientInstanceImpl;
import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.protocol.codec.MapSubmitToKeyCodec;
import com.hazelcast.client.impl.spi.impl.ClientInvocation;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import com.hazelcast.map.impl.proxy.MapProxyImpl;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of one map, and what is run on them where they are.
 *
 * <p>The future of {@link IMap#submitToKey} is completed by the common pool, also if nobody waits
 * for that; and where the pool has a single thread, by a new thread each time. That costs more than
 * the call. So the same message is sent without that future, as Hazelcast's own blocking calls are.
 * It takes classes that Hazelcast does not promise to keep: where they are not what they were, or
 * the instance is wrapped, {@code submitToKey} it is.
 */
public final class Entries {

  private static final Logger LOG = LoggerFactory.getLogger(Entries.class);

  private static final Executor SAME_THREAD = Runnable::run;

  /** How something is run on an entry. */
  private interface Way {
    CompletionStage<byte[]> submit(String key, EntryProcessor<String, byte[], byte[]> turn);
  }

  private final IMap<String, byte[]> map;
  private volatile Way way;

  /** Those of a map, by the instance that it is of. */
  public Entries(HazelcastInstance instance, IMap<String, byte[]> map) {
    this.map = map;
    this.way = way(instance, map);
  }

  private static Way way(HazelcastInstance instance, IMap<String, byte[]> map) {
    try {
      return instance instanceof HazelcastClientProxy client
          ? (key, turn) -> byClient(client, map.getName(), key, turn)
          : map instanceof MapProxyImpl<String, byte[]> local
              ? (key, turn) -> byMember(local, key, turn)
              : map::submitToKey;
    } catch (LinkageError e) {
      return map::submitToKey;
    }
  }

  /** Returns the map. */
  public IMap<String, byte[]> map() {
    return map;
  }

  /**
   * Runs something on the entry of a key. What is done with the answer is done by a thread of
   * Hazelcast's: on a member, one from which it may not be called again.
   */
  public CompletionStage<byte[]> submit(String key, EntryProcessor<String, byte[], byte[]> turn) {
    try {
      return way.submit(key, turn);
    } catch (LinkageError e) {
      LOG.debug("this version of Hazelcast is called by its public methods alone", e);
      way = map::submitToKey;
      return map.submitToKey(key, turn);
    }
  }

  private static CompletionStage<byte[]> byClient(
      HazelcastClientProxy proxy,
      String map,
      String key,
      EntryProcessor<String, byte[], byte[]> turn) {
    HazelcastClientInstanceImpl client = proxy.client;
    if (client == null) {
      throw new HazelcastClientNotActiveException();
    }
    SerializationService data = client.getSerializationService();
    Data at = data.toData(key);
    ClientMessage request =
        MapSubmitToKeyCodec.encodeRequest(
            map, data.toData(turn), at, Thread.currentThread().getId());
    int partition = client.getClientPartitionService().getPartitionId(at);
    return new ClientInvocation(client, request, map, partition)
        .invoke()
        .thenApplyAsync(
            response -> data.toObject(MapSubmitToKeyCodec.decodeResponse(response)), SAME_THREAD);
  }

  @SuppressWarnings("unchecked") // It is raw there.
  private static CompletionStage<byte[]> byMember(
      MapProxyImpl<String, byte[]> map, String key, EntryProcessor<String, byte[], byte[]> turn) {
    CompletableFuture<Data> response = map.executeOnKeyInternal(key, turn);
    return response.thenApplyAsync(map.getNodeEngine()::toObject, SAME_THREAD);
  }
}
