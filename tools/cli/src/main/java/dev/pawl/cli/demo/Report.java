package dev.pawl.cli.demo;

/**
 * What a node says, as a line of its standard output.
 *
 * @param detail a customer, a token or an error, by kind; empty where there is nothing to add
 */
record Report(Kind kind, String detail) {

  /** What a report is about. */
  enum Kind {
    /** It is connected to the store and waits for orders. */
    READY,
    /** It has the tick, with that token; without one where there is no lock. */
    BEGAN,
    /** It begins to send to that customer. */
    SENDING,
    /** It has sent to that customer. */
    SENT,
    /** The outbox refused its message to that customer. */
    REFUSED,
    /** It has done the tick. */
    DONE,
    /** Another node has done the tick. */
    DISMISSED,
    /** It was told that it lost the tick while it ran it. */
    LOST,
    /** Something went wrong: an exit code and a message. */
    FAILED,
    /** Its process has ended. */
    GONE
  }

  Report(Kind kind) {
    this(kind, "");
  }

  /** Returns the line. */
  String line() {
    return kind + " " + detail.replaceAll("\\R", " ");
  }

  /** Reads a line. */
  static Report parse(String line) {
    int space = line.indexOf(' ');
    return new Report(Kind.valueOf(line.substring(0, space)), line.substring(space + 1));
  }
}
