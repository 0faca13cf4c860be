package dev.pawl.zookeeper;

import dev.pawl.zookeeper.tree.Names;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** A client of its own that looks at the nodes, for tests of what is there. */
final class Looker implements AutoCloseable {

  final ZooKeeper zk;

  Looker(String address) {
    try {
      zk = new ZooKeeper(address, 60_000, event -> {});
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The names of the nodes below one; none if it is not there. */
  List<String> children(String path) {
    for (int tries = 0; ; tries++) {
      try {
        return zk.getChildren(path, false);
      } catch (KeeperException.NoNodeException e) {
        return List.of();
      } catch (KeeperException.ConnectionLossException e) {
        if (tries == 50) {
          throw new AssertionError(e);
        }
      } catch (KeeperException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Creates a node that stays. */
  void create(String path, byte[] data) {
    try {
      zk.create(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** How many nodes there are of names that begin so, those of the claims included. */
  long nodesOf(String root, String prefix) {
    List<String> found = new ArrayList<>();
    for (String name : children(root + "/locks")) {
      if (Names.decode(name).startsWith(prefix)) {
        found.add(name);
        found.addAll(children(root + "/locks/" + name));
      }
    }
    return found.size();
  }

  @Override
  public void close() {
    try {
      zk.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
