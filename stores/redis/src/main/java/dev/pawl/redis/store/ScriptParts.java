package dev.pawl.redis.store;

import dev.pawl.machine.LockMachine;
import dev.pawl.redis.port.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * The files that scripts are put together from: a clock, the usual case where there is one, as much
 * of the machine as is needed, and one operation. A server compiles a script once, but runs all of
 * its top level with every call: hence the usual case first, and no part that is not needed.
 *
 * @param clock what stands for {@code clock.lua}
 * @param sharded whether messages stay with the servers of a slot, where these know how
 * @param change what is done to every text: a test has its own
 */
public record ScriptParts(String clock, boolean sharded, UnaryOperator<String> change) {

  /** Puts together the files of these names, of which the last is the operation. */
  public Script script(String names) {
    StringBuilder text = new StringBuilder();
    String operation = "";
    for (String name : names.split(" ", -1)) {
      operation = name + ".lua";
      text.append(part(operation));
    }
    return Script.of(operation, change.apply(text.toString()));
  }

  private String part(String file) {
    return switch (file) {
      case "clock.lua" -> clock;
      case "waiters.lua" -> constants() + read(file);
      default -> read(file);
    };
  }

  /** What the machine in Java has it. */
  private String constants() {
    return """
        local CLAIM_WINDOW, WAITER_ALIVE, FAR_AHEAD, FAR_WAITER_ALIVE = %d, %d, %d, %d
        local ENDED, MOST_ENDED = %d, %d
        local SHARDED = %b
        """
        .formatted(
            LockMachine.CLAIM_WINDOW_MICROS,
            LockMachine.WAITER_ALIVE_MICROS,
            LockMachine.FAR_AHEAD,
            LockMachine.FAR_WAITER_ALIVE_MICROS,
            LockMachine.ENDED_MICROS,
            LockMachine.MOST_ENDED,
            sharded);
  }

  /** Reads one of the files beside this class. */
  static String read(String file) {
    try (InputStream in = ScriptParts.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("pawl-redis is incomplete: " + file + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
