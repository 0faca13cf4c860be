package dev.pawl.jdbc.lease;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A guess whether a name is one that many want, by its hash: it needs the same room however many
 * names there are, and may be wrong, which costs a statement and nothing else.
 */
final class Contended {

  private static final int PLACES = 1024;

  private final AtomicIntegerArray hashes = new AtomicIntegerArray(PLACES);

  boolean contains(String name) {
    int hash = hash(name);
    return hashes.get(place(hash)) == hash;
  }

  void add(String name) {
    int hash = hash(name);
    hashes.set(place(hash), hash);
  }

  void remove(String name) {
    int hash = hash(name);
    hashes.compareAndSet(place(hash), hash, 0);
  }

  private static int hash(String name) {
    return name.hashCode() | 1; // Zero is nobody.
  }

  private static int place(int hash) {
    return Math.floorMod(hash >> 1, PLACES);
  }
}
