/** Locks in a Hazelcast cluster. What runs on the members is for Hazelcast to make, not to call. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.pawl.hazelcast {
  requires transitive dev.pawl;
  requires static org.jspecify;
  requires org.slf4j;

  // It has no descriptor, and a name of its own in its manifest.
  requires transitive com.hazelcast.core;

  exports dev.pawl.hazelcast;

  opens dev.pawl.hazelcast.member;

  provides dev.pawl.spi.StoreProvider with
      dev.pawl.hazelcast.HazelcastStoreProvider;
}
