/** A primary store and its backup behind one. The protocol and the record are not exported. */
module dev.pawl.degrade {
  requires transitive dev.pawl;
  requires static org.jspecify;
  requires org.slf4j;

  exports dev.pawl.degrade;

  provides dev.pawl.spi.StoreProvider with
      dev.pawl.degrade.PairStoreProvider;
}
