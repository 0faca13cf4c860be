package dev.pawl.redis;

import java.util.function.UnaryOperator;

/** The scripts of a store, one for each operation. */
record Scripts(
    Script acquire,
    Script renew,
    Script release,
    Script yieldGrant,
    Script cancel,
    Script evict,
    Script reset,
    Script find) {

  /** The parts with the server's own clock. */
  static final ScriptParts PARTS =
      new ScriptParts(Script.read("clock.lua"), false, UnaryOperator.identity());

  static final Scripts STANDARD = of(PARTS);

  /** For a cluster: messages stay with the servers of a slot, where these know how. */
  static final Scripts CLUSTERED = of(new ScriptParts(PARTS.clock(), true, PARTS.change()));

  static final Script NOW = PARTS.script("clock now clock-read");
  static final Script FENCE = PARTS.script("fence");
  static final Script JOURNAL_APPEND = PARTS.script("journal-append");
  static final Script JOURNAL_READ = PARTS.script("journal-read");

  static Scripts of(ScriptParts parts) {
    return new Scripts(
        parts.script("clock since acquire-fast now state queue ask acquire"),
        parts.script("clock now state queue ask renew"),
        parts.script("release-fast clock now state queue end release"),
        parts.script("clock now state queue ask end yield"),
        parts.script("clock now state queue end cancel"),
        parts.script("clock now state queue end evict"),
        parts.script("clock now state queue reset"),
        parts.script("clock now state find"));
  }
}
