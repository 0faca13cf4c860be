package dev.pawl.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Waits for states of a cluster. */
final class Waiting {

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private Waiting() {}

  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Waits until that is so; what it throws is taken for no. */
  static void until(String what, Condition condition) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    Throwable last = null;
    while (System.nanoTime() < end) {
      try {
        if (condition.holds()) {
          return;
        }
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        last = e;
      }
      LockSupport.parkNanos(20_000_000);
    }
    throw new AssertionError("not within " + PATIENCE + ": " + what, last);
  }

  /** Waits until a client sees so many members, and each of them says that all is backed up. */
  static void untilSafe(HazelcastInstance client, int members) throws InterruptedException {
    until(
        members + " members, and all is backed up",
        () -> {
          if (client.getCluster().getMembers().size() != members) {
            return false;
          }
          for (Future<Boolean> safe :
              client.getExecutorService("test").submitToAllMembers(new IsSafe(members)).values()) {
            if (!safe.get()) {
              return false;
            }
          }
          return true;
        });
  }

  /** Asked on the members, which have the tests on their class path. */
  static final class IsSafe implements Callable<Boolean>, HazelcastInstanceAware, Serializable {
    private static final long serialVersionUID = 1L;
    private final int members;
    private transient HazelcastInstance member;

    IsSafe(int members) {
      this.members = members;
    }

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
      member = instance;
    }

    @Override
    public Boolean call() {
      return member.getCluster().getMembers().size() == members
          && member.getPartitionService().isClusterSafe();
    }
  }

  /** Returns a name whose owner is that member. */
  static String nameOn(HazelcastInstance client, String hostAndPort, int number) {
    int port = Integer.parseInt(hostAndPort.substring(hostAndPort.indexOf(':') + 1));
    for (int i = 0, found = 0; ; i++) {
      Member owner = client.getPartitionService().getPartition("name " + i).getOwner();
      if (owner != null && owner.getAddress().getPort() == port && found++ == number) {
        return "name " + i;
      }
    }
  }
}
