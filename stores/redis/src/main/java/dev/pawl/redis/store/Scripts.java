package dev.pawl.redis.store;

import dev.pawl.redis.port.Script;
import java.util.function.UnaryOperator;

/** The scripts of a store, one for each operation. */
public record Scripts(
    Script acquire,
    Script renew,
    Script release,
    Script yieldGrant,
    Script cancel,
    Script evict,
    Script reset,
    Script find) {

  /** The parts with the server's own clock. */
  public static final ScriptParts PARTS =
      new ScriptParts(ScriptParts.read("clock.lua"), false, UnaryOperator.identity());

  public static final Scripts STANDARD = of(PARTS);

  /** For a cluster: messages stay with the servers of a slot, where these know how. */
  public static final Scripts CLUSTERED = of(new ScriptParts(PARTS.clock(), true, PARTS.change()));

  public static final Script NOW = PARTS.script("clock now clock-read");
  public static final Script FENCE = PARTS.script("fence");
  static final Script JOURNAL_APPEND = PARTS.script("journal-append");
  static final Script JOURNAL_READ = PARTS.script("journal-read");
  static final Script REGISTER_READ = PARTS.script("register-read");
  static final Script REGISTER_WRITE = PARTS.script("register-write");

  public static Scripts of(ScriptParts parts) {
    return new Scripts(
        parts.script("clock since acquire-fast now waiters state queue ask acquire"),
        parts.script("clock now waiters state queue ask renew"),
        parts.script("release-fast clock now waiters state queue end release"),
        parts.script("clock now waiters state queue ask end yield"),
        parts.script("clock now waiters state queue end cancel"),
        parts.script("clock now waiters state queue end evict"),
        parts.script("clock now waiters state queue reset"),
        parts.script("clock now waiters state find"));
  }
}
