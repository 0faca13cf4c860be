package dev.pawl.redis.redlock;

import dev.pawl.redis.port.Script;
import dev.pawl.redis.store.ScriptParts;
import dev.pawl.redis.store.Scripts;

/** The scripts of one of Redlock's servers, put together as {@link Scripts} are. */
public record RedlockScripts(
    Script acquire,
    Script yieldGrant,
    Script release,
    Script cancel,
    Script token,
    Scripts others) {

  public static final RedlockScripts STANDARD = of(Scripts.PARTS, Scripts.STANDARD);

  public static RedlockScripts of(ScriptParts parts, Scripts others) {
    return new RedlockScripts(
        parts.script(
            "clock since now redlock-floor redlock-acquire-fast"
                + " waiters state queue ask redlock redlock-acquire"),
        parts.script("clock now redlock-floor waiters state queue ask end redlock redlock-yield"),
        parts.script(
            "redlock-release-fast clock now waiters state queue end redlock redlock-release"),
        parts.script("clock now waiters state queue end redlock redlock-cancel"),
        parts.script("clock now waiters state redlock-token"),
        others);
  }
}
