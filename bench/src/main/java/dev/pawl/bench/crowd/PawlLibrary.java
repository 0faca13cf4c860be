package dev.pawl.bench.crowd;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.Store;
import java.util.ArrayList;
import java.util.List;

/** Pawl at its defaults; the nodes of a process share the connections of one store. */
final class PawlLibrary implements Library {

  private final Store store;
  private final List<Pawl> nodes = new ArrayList<>();

  PawlLibrary(Store store, int nodes) {
    this.store = store;
    for (int i = 0; i < nodes; i++) {
      this.nodes.add(Pawl.builder(store).build());
    }
  }

  @Override
  public Hold permit(int node, String name, int capacity) throws InterruptedException {
    return hold(nodes.get(node).semaphore(name, capacity).acquire());
  }

  @Override
  public Hold read(int node, String name) throws InterruptedException {
    return hold(nodes.get(node).readWriteLock(name).readLock().acquire());
  }

  @Override
  public Hold lock(int node, String name) throws InterruptedException {
    return hold(nodes.get(node).lock(name).acquire());
  }

  private static Hold hold(Lease lease) {
    return new Hold() {
      @Override
      public boolean isHeld() {
        return lease.isHeld();
      }

      @Override
      public void release() {
        lease.close();
      }
    };
  }

  @Override
  public void close() {
    nodes.forEach(Pawl::close);
    store.close();
  }
}
