package dev.pawl.redis;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import java.util.function.UnaryOperator;

/**
 * The scripts of a store: the clock, the usual case where there is one, the machine and one
 * operation in each. A server compiles a script once, but runs all of its top level with every
 * call: hence the usual case first.
 */
record Scripts(
    Script acquire,
    Script renew,
    Script release,
    Script yieldGrant,
    Script cancel,
    Script evict,
    Script find) {

  /** With the server's own clock. */
  static final Scripts STANDARD = of(Script.read("clock.lua"), UnaryOperator.identity());

  /** For a cluster: messages stay with the servers of a slot, where these know how. */
  static final Scripts CLUSTERED =
      of(Script.read("clock.lua"), machine(true), UnaryOperator.identity());

  static final Script NOW = Script.of("clock.lua", Script.read("clock.lua") + "return { now }\n");
  static final Script FENCE = Script.of("fence.lua", Script.read("fence.lua"));
  static final Script JOURNAL_APPEND =
      Script.of("journal-append.lua", Script.read("journal-append.lua"));
  static final Script JOURNAL_READ = Script.of("journal-read.lua", Script.read("journal-read.lua"));

  /** With that clock, and every text changed so: a test has its own. */
  static Scripts of(String clock, UnaryOperator<String> change) {
    return of(clock, machine(false), change);
  }

  private static Scripts of(String clock, String machine, UnaryOperator<String> change) {
    return new Scripts(
        script(clock + Script.read("acquire-fast.lua") + machine, "acquire.lua", change),
        script(clock + machine, "renew.lua", change),
        script(clock + Script.read("release-fast.lua") + machine, "release.lua", change),
        script(clock + machine, "yield.lua", change),
        script(clock + machine, "cancel.lua", change),
        script(clock + machine, "evict.lua", change),
        script(clock + machine, "find.lua", change));
  }

  /** The machine, with the constants that the one in Java has. */
  static String machine(boolean sharded) {
    return """
        local CLAIM_WINDOW, WAITER_ALIVE = %d, %d
        local ENDED, MARK_RETENTION = %d, %d
        local SHARDED = %b
        """
            .formatted(
                LockMachine.CLAIM_WINDOW_MICROS,
                LockMachine.WAITER_ALIVE_MICROS,
                LockMachine.ENDED_MICROS,
                LockState.MARK_RETENTION_MICROS,
                sharded)
        + Script.read("machine.lua");
  }

  static Script script(String before, String file, UnaryOperator<String> change) {
    return Script.of(file, change.apply(before + Script.read(file)));
  }
}
