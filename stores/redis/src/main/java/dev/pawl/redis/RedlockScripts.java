package dev.pawl.redis;

import java.util.function.UnaryOperator;

/** The scripts of one of Redlock's servers, put together as {@link Scripts} are. */
record RedlockScripts(
    Script acquire,
    Script yieldGrant,
    Script release,
    Script cancel,
    Script token,
    Scripts others) {

  /** How far ahead of a server's clock a node may ask for tokens, in microseconds. */
  private static final String FLOOR_AHEAD = "local FLOOR_AHEAD = 10000000\n";

  /** With the server's own clock. */
  static final RedlockScripts STANDARD =
      of(Script.read("clock.lua"), UnaryOperator.identity(), Scripts.STANDARD);

  /** With that clock, and every text changed so: a test has its own. */
  static RedlockScripts of(String clock, UnaryOperator<String> change, Scripts others) {
    String first = clock + FLOOR_AHEAD;
    String machine = Scripts.machine(false) + Script.read("redlock.lua");
    return new RedlockScripts(
        Scripts.script(
            first + Script.read("redlock-acquire-fast.lua") + machine,
            "redlock-acquire.lua",
            change),
        Scripts.script(first + machine, "redlock-yield.lua", change),
        Scripts.script(
            first + Script.read("redlock-release-fast.lua") + machine,
            "redlock-release.lua",
            change),
        Scripts.script(first + machine, "redlock-cancel.lua", change),
        Scripts.script(first + machine, "redlock-token.lua", change),
        others);
  }
}
