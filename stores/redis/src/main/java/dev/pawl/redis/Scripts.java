package dev.pawl.redis;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;

/** The scripts of a store: the clock, the machine and one operation in each. */
record Scripts(
    Script acquire,
    Script renew,
    Script release,
    Script yieldGrant,
    Script cancel,
    Script evict,
    Script find) {

  /** What the machine in Java has it. */
  private static final String CONSTANTS =
      """
      local CLAIM_WINDOW, WAITER_ALIVE = %d, %d
      local ENDED, MARK_RETENTION = %d, %d
      """
          .formatted(
              LockMachine.CLAIM_WINDOW_MICROS,
              LockMachine.WAITER_ALIVE_MICROS,
              LockMachine.ENDED_MICROS,
              LockState.MARK_RETENTION_MICROS);

  /** With the server's own clock. */
  static final Scripts STANDARD = of(Script.read("clock.lua"), Script.read("machine.lua"));

  static final Script FENCE = Script.of("fence.lua", Script.read("fence.lua"));
  static final Script JOURNAL_APPEND =
      Script.of("journal-append.lua", Script.read("journal-append.lua"));
  static final Script JOURNAL_READ = Script.of("journal-read.lua", Script.read("journal-read.lua"));

  /** With that clock before that machine; a test has its own. */
  static Scripts of(String clock, String lockMachine) {
    String machine = CONSTANTS + clock + lockMachine;
    return new Scripts(
        script(machine, "acquire.lua"),
        script(machine, "renew.lua"),
        script(machine, "release.lua"),
        script(machine, "yield.lua"),
        script(machine, "cancel.lua"),
        script(machine, "evict.lua"),
        script(machine, "find.lua"));
  }

  /** One of Redlock's operations. */
  static Script redlock(String file) {
    String machine = CONSTANTS + Script.read("clock.lua") + Script.read("machine.lua");
    return script(machine + Script.read("redlock.lua"), file);
  }

  private static Script script(String machine, String file) {
    return Script.of(file, machine + Script.read(file));
  }
}
