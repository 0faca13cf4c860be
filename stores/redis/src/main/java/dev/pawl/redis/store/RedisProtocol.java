package dev.pawl.redis.store;

import dev.pawl.redis.port.Answers;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What is sent to the scripts and what they say: arguments, answers and messages. */
public final class RedisProtocol {

  private RedisProtocol() {}

  // Arguments.

  public static List<String> arguments(Command.Acquire c) {
    return List.of(claimText(c), lasts(c));
  }

  /**
   * Returns how many milliseconds the key of a claim lasts that is alone: it outlives the lease and
   * the tokens, as the machine has it.
   */
  public static String lasts(Command.Acquire c) {
    return Long.toString(Math.max(c.leaseMicros(), c.span() - 1) / 1_000 + 1);
  }

  public static List<String> arguments(Command.Release c) {
    return List.of(c.claim().toString(), Long.toString(c.usedToken()), reached(c), flag(c.late()));
  }

  /** Returns the mark and how long it is kept; nothing without one. */
  private static String reached(Command.Release c) {
    return c.mark().isPresent() ? c.mark().getAsLong() + ":" + c.keepMicros() : "";
  }

  public static List<String> arguments(Command.Yield c) {
    List<String> args = new ArrayList<>(arguments(c.release()));
    args.add(claimText(c.next()));
    return args;
  }

  public static List<String> arguments(Command.Cancel c) {
    return List.of(c.claim().toString(), flag(c.late()));
  }

  public static List<String> arguments(Command.Evict c) {
    return List.of(Long.toString(c.token()));
  }

  public static List<String> arguments(Command.Reset c) {
    return List.of(Long.toString(c.mark()), markText(c.to()));
  }

  /** Returns a claim in one text of ten lines; only the last one may hold another line break. */
  public static String claimText(Command.Acquire c) {
    return String.join(
        "\n",
        c.claim().toString(),
        Long.toString(c.leaseMicros()),
        Integer.toString(c.span()),
        Integer.toString(c.permits()),
        Integer.toString(c.capacity()),
        markText(c.mark()),
        flag(c.queue()),
        flag(c.fair()),
        c.actor().replace('\n', ' '),
        c.label());
  }

  private static String markText(OptionalLong mark) {
    return mark.isPresent() ? Long.toString(mark.getAsLong()) : "";
  }

  private static String flag(boolean value) {
    return value ? "1" : "0";
  }

  // Answers.

  public static AcquireReply acquireReply(Command.Acquire command, Object answer) {
    List<?> fields = Answers.list(answer);
    if (fields.get(0) instanceof String usual) {
      return new AcquireReply.Granted(grant(command, usual));
    }
    return switch ((int) Answers.number(fields.get(0))) {
      case 0 -> new AcquireReply.Granted(grant(command.claim(), fields));
      case 1 -> new AcquireReply.Queued(contention(fields));
      case 2 -> new AcquireReply.Busy(contention(fields));
      case 3 -> new AcquireReply.Done(Answers.number(fields.get(1)));
      default -> new AcquireReply.Ended();
    };
  }

  static RenewReply renewReply(ClaimId claim, Object answer) {
    List<?> fields = Answers.list(answer);
    return switch ((int) Answers.number(fields.get(0))) {
      case 0 -> new RenewReply.Held(grant(claim, fields));
      case 1 -> new RenewReply.Waiting(contention(fields));
      default -> new RenewReply.Gone();
    };
  }

  public static ReleaseReply releaseReply(Object answer) {
    return Answers.number(Answers.list(answer).get(0)) == 0
        ? ReleaseReply.RELEASED
        : ReleaseReply.GONE;
  }

  public static CancelReply cancelReply(Object answer) {
    return switch ((int) Answers.number(Answers.list(answer).get(0))) {
      case 0 -> CancelReply.CANCELLED;
      case 1 -> CancelReply.WAS_GRANTED;
      default -> CancelReply.GONE;
    };
  }

  public static EvictReply evictReply(Object answer) {
    List<?> fields = Answers.list(answer);
    return fields.isEmpty()
        ? new EvictReply.Changed()
        : new EvictReply.Evicted(
            ClaimId.parse(Answers.text(fields.get(0))), Answers.text(fields.get(1)));
  }

  public static ResetReply resetReply(Object answer) {
    return Answers.number(Answers.list(answer).get(0)) == 0 ? ResetReply.RESET : ResetReply.CHANGED;
  }

  private static Grant grant(ClaimId claim, List<?> f) {
    return new Grant(
        claim,
        Answers.number(f.get(1)),
        (int) Answers.number(f.get(2)),
        Answers.number(f.get(3)),
        Answers.number(f.get(4)));
  }

  /** Reads the usual grant: the time, and the token where that is not the time; a line each. */
  private static Grant grant(Command.Acquire c, String usual) {
    int end = usual.indexOf('\n');
    long now = Long.parseLong(end < 0 ? usual : usual.substring(0, end));
    long token = end < 0 ? now : Long.parseLong(usual.substring(end + 1));
    return new Grant(c.claim(), token, c.span(), now + c.leaseMicros(), now);
  }

  private static Contention contention(List<?> f) {
    return new Contention(
        Answers.text(f.get(1)),
        Answers.number(f.get(2)),
        Answers.number(f.get(3)),
        (int) Answers.number(f.get(4)),
        (int) Answers.number(f.get(5)),
        Answers.number(f.get(6)));
  }

  // Messages.

  /**
   * Reads a message: its kind, the claim, the numbers and the name, a line each. One that is not
   * ours says that something was missed.
   */
  public static Signal signal(String message) {
    String[] f = message.split("\n", -1);
    try {
      return switch (f[0]) {
        case "G" ->
            new Signal.Granted(
                f[6],
                new Grant(
                    ClaimId.parse(f[1]),
                    Long.parseLong(f[2]),
                    Integer.parseInt(f[3]),
                    Long.parseLong(f[4]),
                    Long.parseLong(f[5])));
        case "D" -> new Signal.Done(f[3], ClaimId.parse(f[1]), Long.parseLong(f[2]));
        case "S" -> new Signal.Summoned(f[2], ClaimId.parse(f[1]));
        case "E" -> new Signal.Evicted(f[2], ClaimId.parse(f[1]));
        case "C" -> new Signal.Changed(f[2]);
        default -> new Signal.Missed();
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      return new Signal.Missed();
    }
  }
}
