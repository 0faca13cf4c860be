package dev.pawl.cli.demo;

/** What a node is told to do, as a line of its standard input. */
sealed interface Order {

  /**
   * Run the reminder job for a tick.
   *
   * @param tick when it was due, in milliseconds since 1970
   * @param locked whether as a job of Pawl, or just so
   */
  record Remind(Act act, long tick, boolean locked) implements Order {}

  /** Kill that process if the demo dies: it is stopped, or a server, and cannot see it. */
  record Outlive(long pid) implements Order {}

  /** Close everything and end. */
  record Quit() implements Order {}

  /** Returns the line. */
  default String line() {
    if (this instanceof Remind remind) {
      return "remind " + remind.act + " " + remind.tick + " " + remind.locked;
    }
    return this instanceof Outlive outlive ? "outlive " + outlive.pid : "quit";
  }

  /** Reads a line. */
  static Order parse(String line) {
    String[] words = line.split(" ", -1);
    return switch (words[0]) {
      case "remind" ->
          new Remind(
              Act.valueOf(words[1]), Long.parseLong(words[2]), Boolean.parseBoolean(words[3]));
      case "outlive" -> new Outlive(Long.parseLong(words[1]));
      case "quit" -> new Quit();
      default -> throw new IllegalArgumentException("no order: " + line);
    };
  }
}
