package dev.pawl.jdbc.dialect;

import dev.pawl.spi.Grant;

/** What came of the one statement that takes a free name. */
public sealed interface Attempt {

  /** The name was free, and is taken. */
  record Granted(Grant grant) implements Attempt {}

  /** The name is not free, as far as one can tell from this record. */
  record Taken(LeaseRecord record) implements Attempt {}

  /** The name is not free, or just was not; its record has to be read. */
  record Unknown() implements Attempt {}
}
