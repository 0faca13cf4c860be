package dev.pawl.bench.zookeeper;

import dev.pawl.bench.peer.SpinningLocks;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** ZooKeeper's own client: an ephemeral node is created and deleted. */
final class RawZooKeeper extends SpinningLocks {

  private static final String ROOT = "/raw";
  private static final int SESSION_MILLIS = 10_000;

  private final ZooKeeper zk;

  RawZooKeeper(String address) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    zk =
        new ZooKeeper(
            address,
            SESSION_MILLIS,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    if (!connected.await(SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("no connection to " + address);
    }
    try {
      zk.create(ROOT, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      // Another process was first.
    }
  }

  @Override
  protected boolean take(String name, String owner) throws Exception {
    try {
      zk.create(
          ROOT + "/" + name,
          owner.getBytes(StandardCharsets.UTF_8),
          ZooDefs.Ids.OPEN_ACL_UNSAFE,
          CreateMode.EPHEMERAL);
      return true;
    } catch (KeeperException.NodeExistsException e) {
      return false;
    }
  }

  @Override
  protected void free(String name, String owner) throws Exception {
    zk.delete(ROOT + "/" + name, -1);
  }

  @Override
  public void close() throws Exception {
    zk.close();
  }
}
