package dev.pawl.jdbc.dialect;

import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import java.util.stream.Stream;

/**
 * The way in which a dialect takes a free name: by one statement where the name was used before.
 * Its texts are made once, so that a driver finds the statement it has prepared.
 */
@FunctionalInterface
public interface Taking {

  /** Takes the name if it is free. */
  Attempt take(Connection connection, Command.Acquire command, Look look) throws SQLException;

  /** A look at the record of a name, for those who do not get it with their refusal. */
  @FunctionalInterface
  interface Look {
    /** Reads the record of a name, and the clock even if there is none. */
    LeaseRecord at(Connection connection, String name) throws SQLException;
  }

  /** Reads clock, token and end of a grant. */
  static Attempt granted(ResultSet result, Command.Acquire command) throws SQLException {
    return new Attempt.Granted(
        new Grant(
            command.claim(),
            result.getLong(2),
            command.span(),
            result.getLong(3),
            result.getLong(1)));
  }

  /** Returns the parameters of an upsert, in the order of its columns, and the mark so often. */
  static Object[] upsert(Command.Acquire command, int marks) {
    Object[] columns = {
      Utf8.bytes(command.name()),
      command.span(),
      Utf8.bytes(command.claim().toString()),
      command.permits(),
      command.span(),
      command.leaseMicros(),
      Utf8.bytes(command.label()),
      Utf8.bytes(command.actor())
    };
    return Stream.concat(Arrays.stream(columns), Collections.nCopies(marks, mark(command)).stream())
        .toArray();
  }

  /** Returns the parameters of an insert whose name comes last, as it does in an update. */
  static Object[] insert(Command.Acquire command) {
    return new Object[] {
      command.span(),
      Utf8.bytes(command.claim().toString()),
      command.permits(),
      command.span(),
      Utf8.bytes(command.label()),
      Utf8.bytes(command.actor()),
      command.leaseMicros(),
      Utf8.bytes(command.name())
    };
  }

  /** Returns the parameters of an update: those of the insert, and the mark. */
  static Object[] update(Command.Acquire command) {
    return Stream.concat(Arrays.stream(insert(command)), Stream.of(mark(command))).toArray();
  }

  private static Long mark(Command.Acquire command) {
    return command.mark().orElse(Long.MAX_VALUE);
  }
}
