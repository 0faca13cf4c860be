package dev.pawl.jdbc.wake;

import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;
import java.util.Base64;

/** The written form of a signal in a notification: its fields, with blanks between. */
final class Payload {

  private Payload() {}

  static String write(Signal signal) {
    if (signal instanceof Signal.Granted granted) {
      Grant grant = granted.grant();
      return String.join(
          " ",
          "granted",
          encode(granted.name()),
          encode(grant.claim().toString()),
          "" + grant.token(),
          "" + grant.span(),
          "" + grant.untilMicros(),
          "" + grant.nowMicros());
    } else if (signal instanceof Signal.Done done) {
      return String.join(
          " ", "done", encode(done.name()), encode(done.claim().toString()), "" + done.mark());
    } else if (signal instanceof Signal.Summoned summoned) {
      return String.join(
          " ", "summoned", encode(summoned.name()), encode(summoned.claim().toString()));
    } else if (signal instanceof Signal.Evicted evicted) {
      return String.join(
          " ", "evicted", encode(evicted.name()), encode(evicted.claim().toString()));
    } else if (signal instanceof Signal.Changed changed) {
      return "changed " + encode(changed.name());
    }
    return "missed";
  }

  /** Reads a signal; whatever is not one that was written here is a hint to ask. */
  static Signal read(String text) {
    String[] fields = text.split(" ", -1);
    try {
      return switch (fields[0]) {
        case "granted" ->
            new Signal.Granted(
                decode(fields[1]),
                new Grant(
                    ClaimId.parse(decode(fields[2])),
                    Long.parseLong(fields[3]),
                    Integer.parseInt(fields[4]),
                    Long.parseLong(fields[5]),
                    Long.parseLong(fields[6])));
        case "done" ->
            new Signal.Done(
                decode(fields[1]), ClaimId.parse(decode(fields[2])), Long.parseLong(fields[3]));
        case "summoned" -> new Signal.Summoned(decode(fields[1]), ClaimId.parse(decode(fields[2])));
        case "evicted" -> new Signal.Evicted(decode(fields[1]), ClaimId.parse(decode(fields[2])));
        case "changed" -> new Signal.Changed(decode(fields[1]));
        default -> new Signal.Missed();
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      return new Signal.Missed();
    }
  }

  private static String encode(String text) {
    return Base64.getEncoder().encodeToString(Utf8.bytes(text));
  }

  private static String decode(String text) {
    return Utf8.text(Base64.getDecoder().decode(text));
  }
}
