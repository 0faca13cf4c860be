package dev.pawl.machine;

import dev.pawl.spi.Command;

/** Commands as a person reads them in a failure. */
final class Texts {

  private Texts() {}

  static String of(Command command) {
    if (command instanceof Command.Acquire a) {
      return "acquire %s %s of %s lease %d µs span %d%s%s%s"
          .formatted(
              a.claim(),
              permits(a.permits()),
              permits(a.capacity()),
              a.leaseMicros(),
              a.span(),
              a.mark().isPresent() ? " mark " + a.mark().getAsLong() : "",
              a.fair() ? " fair" : " unfair",
              a.queue() ? " queue" : "");
    } else if (command instanceof Command.Renew r) {
      return "renew %s %s lease %d µs".formatted(r.claim(), permits(r.permits()), r.leaseMicros());
    } else if (command instanceof Command.Cancel c) {
      return "cancel " + c.claim() + (c.late() ? " late" : "");
    }
    return command.toString();
  }

  private static String permits(int permits) {
    return permits == Command.EVERYTHING ? "all" : Integer.toString(permits);
  }
}
