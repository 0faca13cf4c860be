package dev.pawl.cli.pair;

import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;

/** A Redis that keeps its data, with a way of its own for each process, and what may happen. */
final class RedisPrimary implements AutoCloseable {

  private final RedisServer redis = RedisServer.start("--appendonly", "yes");
  private final List<FaultProxy> proxies = new ArrayList<>();
  private final int nodes;

  private RedisPrimary(int nodes) {
    this.nodes = nodes;
    for (int i = 0; i < nodes; i++) {
      proxies.add(FaultProxy.to("127.0.0.1", redis.port()));
    }
  }

  static RedisPrimary start(int nodes) {
    return new RedisPrimary(nodes);
  }

  String url() {
    return redis.url();
  }

  String url(int node) {
    return "redis://127.0.0.1:" + proxies.get(node).port();
  }

  void cutOff(int count) {
    proxies.subList(0, count).forEach(FaultProxy::cut);
  }

  void heal() {
    proxies.forEach(FaultProxy::heal);
  }

  private int most() {
    return nodes / 2 + 1;
  }

  /** Returns the faults by which other stores are tried. */
  List<Fault> three() {
    return List.of(killedAndEmpty(), paused(), killed());
  }

  Fault killed() {
    return Fault.of(redis::kill, redis::startAgain);
  }

  Fault killedAndEmpty() {
    return Fault.of(
        redis::kill,
        () -> {
          redis.startAgain();
          redis.call("FLUSHALL");
        });
  }

  Fault paused() {
    return Fault.of(redis::pause, redis::resume);
  }

  Fault cutOffFromMost() {
    return Fault.of(() -> cutOff(most()), this::heal);
  }

  /** What was under way arrives when it is over. */
  Fault stalledForMost() {
    return Fault.of(() -> proxies.subList(0, most()).forEach(FaultProxy::stall), this::heal);
  }

  /** The last process is stopped before, and goes on when the locks are in the backup. */
  Fault killedWhileAProcessIsStopped() {
    return new Fault() {
      @Override
      public void begin(PairLoad load) {
        load.stop(nodes - 1);
        redis.kill();
      }

      @Override
      public List<Integer> working(List<Integer> all) {
        return all.subList(0, nodes - 1);
      }

      @Override
      public void end(PairLoad load) {
        load.goOn(nodes - 1);
        redis.startAgain();
      }
    };
  }

  @Override
  public void close() {
    proxies.forEach(FaultProxy::close);
    redis.close();
  }
}
