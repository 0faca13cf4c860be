package dev.pawl.hazelcast;

import dev.pawl.hazelcast.member.Entries;
import dev.pawl.hazelcast.member.RegisterTurn;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Registers in a map of their own, an entry each, written by the member that has it. */
final class HazelcastRegisters implements Registers {

  private static final Comparator<Register> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.key().getBytes(StandardCharsets.UTF_8), b.key().getBytes(StandardCharsets.UTF_8));

  private final HazelcastCalls calls;
  private final Entries entries;

  HazelcastRegisters(HazelcastCalls calls, Entries entries) {
    this.calls = calls;
    this.entries = entries;
  }

  @Override
  public CompletionStage<Register> read(String key) {
    Register.checkKey(key);
    return calls.submit(
        entries, key, RegisterTurn.reading(), answer -> RegisterTurn.standing(key, answer));
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    Register next = seen.next(value);
    return calls.submit(
        entries,
        seen.key(),
        new RegisterTurn(next),
        answer ->
            RegisterTurn.isWritten(answer)
                ? new RegisterReply.Written(next)
                : new RegisterReply.Changed(RegisterTurn.standing(seen.key(), answer)));
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return calls.run(
        () -> {
          Set<String> keys = new HashSet<>(entries.map().keySet());
          keys.removeIf(key -> !key.startsWith(prefix));
          List<Register> found = new ArrayList<>();
          entries
              .map()
              .getAll(keys)
              .forEach((key, entry) -> found.add(RegisterTurn.decode(key, entry)));
          found.removeIf(each -> each.value().isEmpty());
          found.sort(BY_BYTES);
          return List.copyOf(found.subList(0, Math.min(limit, found.size())));
        });
  }
}
