package dev.pawl.hazelcast;

import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.client.impl.connection.tcp.TcpClientConnectionManager;
import com.hazelcast.core.HazelcastInstance;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connections to all members, made before its first call.
 *
 * <p>One that starts in the background is connected to one member, and to the others a second
 * later. Until then those cannot confirm to it that they have a backup: each call takes half a
 * second, and has an outcome that nobody knows. It takes classes that Hazelcast does not promise to
 * keep: where they are not what they were, that second it is. What it calls also has the client
 * look for members to connect to once more in each second, which costs it next to nothing.
 */
final class AllMembers {

  private static final Logger LOG = LoggerFactory.getLogger(AllMembers.class);

  private static final long POLL_NANOS = 1_000_000;

  private AllMembers() {}

  /** Connects to all, and waits for that, though no longer than for an answer. */
  static void connect(HazelcastInstance client, Duration patience) throws InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              try {
                connect(client, patience.toNanos());
              } finally {
                connected.countDown();
              }
            },
            "pawl-hazelcast-connect");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // No thread can be made.
      LOG.debug("{} connects to the other members later", client.getName(), e);
      return;
    }
    if (!connected.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
      LOG.debug("{} is not connected to all members yet", client.getName());
    }
  }

  private static void connect(HazelcastInstance instance, long patienceNanos) {
    try {
      awaitMembers(instance, patienceNanos);
      if (instance instanceof HazelcastClientProxy proxy
          && proxy.client.getConnectionManager() instanceof TcpClientConnectionManager manager) {
        manager.tryConnectToAllClusterMembers(true);
      }
    } catch (LinkageError | RuntimeException e) {
      LOG.debug("{} connects to the other members later", instance.getName(), e);
    }
  }

  /** Waits until it knows who they are, which it is told behind the first connection. */
  private static void awaitMembers(HazelcastInstance instance, long patienceNanos) {
    long end = System.nanoTime() + patienceNanos;
    while (instance.getCluster().getMembers().isEmpty() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
