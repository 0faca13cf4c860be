package dev.pawl.hazelcast.member;

/** What the maps and the executor of a store are called, by its prefix. */
public final class MapNames {

  private MapNames() {}

  /** Returns the name of the map with the locks. */
  public static String locks(String prefix) {
    return prefix + ".locks";
  }

  /** Returns the name of the map with the journal. */
  public static String journal(String prefix) {
    return prefix + ".journal";
  }

  /** Returns the name of the map with the registers. */
  public static String registers(String prefix) {
    return prefix + ".registers";
  }

  /** Returns the name of the executor by which members are asked. */
  public static String members(String prefix) {
    return prefix + ".members";
  }
}
