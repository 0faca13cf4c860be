package dev.pawl.redis.store;

import dev.pawl.LockInfo;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.redis.port.Answers;
import dev.pawl.spi.ClaimId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The state of a name, as {@code find.lua} tells it. */
public final class StoredState {

  private StoredState() {}

  /** Reads the answer of {@code find.lua}: those of the names that are known. */
  public static List<LockInfo> infos(List<String> names, Object answer) {
    List<?> answers = Answers.list(answer);
    long now = Answers.number(answers.get(0));
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
  public static @Nullable LockState state(Object answer) {
    List<?> fields = Answers.list(answer);
    if (fields.isEmpty()) {
      return null;
    }
    String mark = Answers.text(fields.get(1));
    return new LockState(
        Answers.number(fields.get(0)),
        mark.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(mark)),
        Answers.number(fields.get(5)),
        Answers.list(fields.get(2)).stream().map(StoredState::holder).toList(),
        Answers.list(fields.get(3)).stream().map(StoredState::waiter).toList(),
        Answers.list(fields.get(4)).stream().map(StoredState::ended).toList());
  }

  private static LockState.Holder holder(Object answer) {
    List<?> f = Answers.list(answer);
    return new LockState.Holder(
        ClaimId.parse(Answers.text(f.get(0))),
        (int) Answers.number(f.get(1)),
        Answers.number(f.get(2)),
        (int) Answers.number(f.get(3)),
        Answers.number(f.get(4)),
        Answers.number(f.get(5)),
        Answers.text(f.get(6)),
        Answers.text(f.get(7)));
  }

  private static LockState.Waiter waiter(Object answer) {
    List<?> f = Answers.list(answer);
    return new LockState.Waiter(
        ClaimId.parse(Answers.text(f.get(0))),
        (int) Answers.number(f.get(1)),
        (int) Answers.number(f.get(2)),
        Answers.number(f.get(3)),
        (int) Answers.number(f.get(4)),
        f.get(5) == null ? OptionalLong.empty() : OptionalLong.of(Answers.number(f.get(5))),
        f.get(6) != null,
        Answers.number(f.get(7)),
        Answers.number(f.get(8)),
        Answers.text(f.get(9)),
        Answers.text(f.get(10)));
  }

  private static LockState.Ended ended(Object answer) {
    List<?> f = Answers.list(answer);
    return new LockState.Ended(ClaimId.parse(Answers.text(f.get(0))), Answers.number(f.get(1)));
  }
}
