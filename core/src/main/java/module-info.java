/**
 * Distributed locks: the API, what a store implements, the lock machine and the memory store. The
 * engine is found as a service and is not exported.
 */
module dev.pawl {
  requires static org.jspecify;
  requires org.slf4j;

  exports dev.pawl;
  exports dev.pawl.machine;
  exports dev.pawl.memory;
  exports dev.pawl.spi;
  exports dev.pawl.text;

  uses dev.pawl.Pawl.Factory;
  uses dev.pawl.spi.StoreProvider;

  provides dev.pawl.Pawl.Factory with
      dev.pawl.engine.NodeFactory;
  provides dev.pawl.spi.StoreProvider with
      dev.pawl.memory.MemoryStoreProvider;
}
