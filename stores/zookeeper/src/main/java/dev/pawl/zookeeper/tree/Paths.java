package dev.pawl.zookeeper.tree;

import java.util.List;

/**
 * Where everything is kept.
 *
 * <pre>
 *   ROOT/locks/NAME/PLACE       one for each claim: ephemeral, sequential ({@link Place})
 *   ROOT/locks/NAME             simple strategy: ephemeral, of whoever holds the name
 *   ROOT/marks/NAME             the mark of a name, persistent
 *   ROOT/sessions/ID            one for each session, ephemeral: its clock, and who evicted what
 *   ROOT/journal/NAME/NUMBER    what people look up later
 *   ROOT/registers/KEY          a register, persistent
 * </pre>
 *
 * @param root {@code /pawl}, without a slash at the end; empty for the top
 */
public record Paths(String root) {

  /** Returns the parents of everything, the upper ones first. */
  public List<String> parents() {
    return List.of(locks(), marks(), sessions(), journal(), registers());
  }

  /** Returns the parent of all names. */
  public String locks() {
    return root + "/locks";
  }

  /** Returns the parent of a name's places. */
  public String lock(String name) {
    return locks() + "/" + Names.encode(name);
  }

  /** Returns the node of a claim. */
  public String place(String name, Place place) {
    return place.kind() == Place.Kind.SIMPLE ? lock(name) : lock(name) + "/" + place.segment();
  }

  /** Returns the parent of all marks. */
  public String marks() {
    return root + "/marks";
  }

  /** Returns where the mark of a name is. */
  public String mark(String name) {
    return marks() + "/" + Names.encode(name);
  }

  /** Returns the parent of all sessions. */
  public String sessions() {
    return root + "/sessions";
  }

  /** Returns the node of a session. */
  public String session(long id) {
    return sessions() + "/" + Long.toHexString(id);
  }

  /** Returns the parent of all journals. */
  public String journal() {
    return root + "/journal";
  }

  /** Returns the parent of a name's entries. */
  public String journal(String name) {
    return journal() + "/" + Names.encode(name);
  }

  /** Returns the parent of all registers. */
  public String registers() {
    return root + "/registers";
  }

  /** Returns where a register is. */
  public String register(String key) {
    return registers() + "/" + Names.encode(key);
  }
}
