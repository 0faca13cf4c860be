package dev.pawl.jdbc.wake;

import dev.pawl.jdbc.dialect.LeaseRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The lease records that others have written since one last looked at them. */
@FunctionalInterface
public interface Changes {

  /** A name and the version of its record that is known. */
  record Seen(String name, long version) {}

  /** Reads the records that have another version than the one that is known, by name. */
  Map<String, LeaseRecord> since(Connection connection, List<Seen> seen) throws SQLException;
}
