package dev.pawl.redis;

import dev.pawl.LockInfo;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
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
import org.jspecify.annotations.Nullable;

/** What is sent to the scripts and what they say: arguments, answers and messages. */
final class RedisProtocol {

  private RedisProtocol() {}

  // Arguments.

  static List<String> arguments(Command.Acquire c) {
    return List.of(text(c), lasts(c));
  }

  /**
   * Returns how many milliseconds the key of a claim lasts that is alone: it outlives the lease and
   * the tokens, as the machine has it.
   */
  static String lasts(Command.Acquire c) {
    return Long.toString(Math.max(c.leaseMicros(), c.span() - 1) / 1_000 + 1);
  }

  static List<String> arguments(Command.Release c) {
    return List.of(c.claim().toString(), Long.toString(c.usedToken()), reached(c), flag(c.late()));
  }

  /** Returns the mark and how long it is kept; nothing without one. */
  private static String reached(Command.Release c) {
    return c.mark().isPresent() ? c.mark().getAsLong() + ":" + c.keepMicros() : "";
  }

  static List<String> arguments(Command.Yield c) {
    List<String> args = new ArrayList<>(arguments(c.release()));
    args.add(text(c.next()));
    return args;
  }

  static List<String> arguments(Command.Cancel c) {
    return List.of(c.claim().toString(), flag(c.late()));
  }

  static List<String> arguments(Command.Evict c) {
    return List.of(Long.toString(c.token()));
  }

  static List<String> arguments(Command.Reset c) {
    return List.of(Long.toString(c.mark()), text(c.to()));
  }

  /** Returns a claim in one text of ten lines; only the last one may hold another line break. */
  static String text(Command.Acquire c) {
    return String.join(
        "\n",
        c.claim().toString(),
        Long.toString(c.leaseMicros()),
        Integer.toString(c.span()),
        Integer.toString(c.permits()),
        Integer.toString(c.capacity()),
        text(c.mark()),
        flag(c.queue()),
        flag(c.fair()),
        c.actor().replace('\n', ' '),
        c.label());
  }

  private static String text(OptionalLong mark) {
    return mark.isPresent() ? Long.toString(mark.getAsLong()) : "";
  }

  private static String flag(boolean value) {
    return value ? "1" : "0";
  }

  // Answers.

  static AcquireReply acquireReply(Command.Acquire command, Object answer) {
    List<?> fields = list(answer);
    if (fields.get(0) instanceof String usual) {
      return new AcquireReply.Granted(grant(command, usual));
    }
    return switch ((int) number(fields.get(0))) {
      case 0 -> new AcquireReply.Granted(grant(command.claim(), fields));
      case 1 -> new AcquireReply.Queued(contention(fields));
      case 2 -> new AcquireReply.Busy(contention(fields));
      case 3 -> new AcquireReply.Done(number(fields.get(1)));
      default -> new AcquireReply.Ended();
    };
  }

  static RenewReply renewReply(ClaimId claim, Object answer) {
    List<?> fields = list(answer);
    return switch ((int) number(fields.get(0))) {
      case 0 -> new RenewReply.Held(grant(claim, fields));
      case 1 -> new RenewReply.Waiting(contention(fields));
      default -> new RenewReply.Gone();
    };
  }

  static ReleaseReply releaseReply(Object answer) {
    return number(list(answer).get(0)) == 0 ? ReleaseReply.RELEASED : ReleaseReply.GONE;
  }

  static CancelReply cancelReply(Object answer) {
    return switch ((int) number(list(answer).get(0))) {
      case 0 -> CancelReply.CANCELLED;
      case 1 -> CancelReply.WAS_GRANTED;
      default -> CancelReply.GONE;
    };
  }

  static EvictReply evictReply(Object answer) {
    List<?> fields = list(answer);
    return fields.isEmpty()
        ? new EvictReply.Changed()
        : new EvictReply.Evicted(ClaimId.parse(text(fields.get(0))), text(fields.get(1)));
  }

  static ResetReply resetReply(Object answer) {
    return number(list(answer).get(0)) == 0 ? ResetReply.RESET : ResetReply.CHANGED;
  }

  /** Reads the answer of {@code find.lua}: those of the names that are known. */
  static List<LockInfo> infos(List<String> names, Object answer) {
    List<?> answers = list(answer);
    long now = number(answers.get(0));
    List<LockInfo> infos = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      LockState state = state(answers.get(i + 1));
      if (state != null) {
        infos.add(LockMachine.describe(names.get(i), state, now));
      }
    }
    return infos;
  }

  /** Reads one name's state as {@code find.lua} tells it; null if it is not known. */
  static @Nullable LockState state(Object answer) {
    List<?> fields = list(answer);
    if (fields.isEmpty()) {
      return null;
    }
    String mark = text(fields.get(1));
    return new LockState(
        number(fields.get(0)),
        mark.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(mark)),
        number(fields.get(5)),
        list(fields.get(2)).stream().map(RedisProtocol::holder).toList(),
        list(fields.get(3)).stream().map(RedisProtocol::waiter).toList(),
        list(fields.get(4)).stream().map(RedisProtocol::ended).toList());
  }

  private static LockState.Holder holder(Object answer) {
    List<?> f = list(answer);
    return new LockState.Holder(
        ClaimId.parse(text(f.get(0))),
        (int) number(f.get(1)),
        number(f.get(2)),
        (int) number(f.get(3)),
        number(f.get(4)),
        number(f.get(5)),
        text(f.get(6)),
        text(f.get(7)));
  }

  private static LockState.Waiter waiter(Object answer) {
    List<?> f = list(answer);
    return new LockState.Waiter(
        ClaimId.parse(text(f.get(0))),
        (int) number(f.get(1)),
        (int) number(f.get(2)),
        number(f.get(3)),
        (int) number(f.get(4)),
        f.get(5) == null ? OptionalLong.empty() : OptionalLong.of(number(f.get(5))),
        f.get(6) != null,
        number(f.get(7)),
        number(f.get(8)),
        text(f.get(9)),
        text(f.get(10)));
  }

  private static LockState.Ended ended(Object answer) {
    List<?> f = list(answer);
    return new LockState.Ended(ClaimId.parse(text(f.get(0))), number(f.get(1)));
  }

  private static Grant grant(ClaimId claim, List<?> f) {
    return new Grant(
        claim, number(f.get(1)), (int) number(f.get(2)), number(f.get(3)), number(f.get(4)));
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
        text(f.get(1)),
        number(f.get(2)),
        number(f.get(3)),
        (int) number(f.get(4)),
        (int) number(f.get(5)),
        number(f.get(6)));
  }

  // Messages.

  /**
   * Reads a message: its kind, the claim, the numbers and the name, a line each. One that is not
   * ours says that something was missed.
   */
  static Signal signal(String message) {
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
        case "E" -> new Signal.Evicted(f[2], ClaimId.parse(f[1]));
        case "C" -> new Signal.Changed(f[2]);
        default -> new Signal.Missed();
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      return new Signal.Missed();
    }
  }

  static List<?> list(@Nullable Object answer) {
    if (answer instanceof List<?> list) {
      return list;
    }
    throw new IllegalStateException("a list was expected, and there came " + answer);
  }

  static long number(@Nullable Object answer) {
    if (answer instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("a number was expected, and there came " + answer);
  }

  static String text(@Nullable Object answer) {
    return answer == null ? "" : answer.toString();
  }
}
