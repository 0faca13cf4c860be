package dev.pawl.redis.store;

import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Registers as strings that do not expire, a key each: the version, and on the next line a {@code
 * =} and the value; without a value nothing.
 */
public final class RedisRegisters implements Registers {

  private static final int READ_AT_ONCE = 100;

  private final RedisPort port;
  private final RedisKeys keys;
  private final Writing writing;

  /** Sends a script that writes, and waits for replicas where that is wanted. */
  @FunctionalInterface
  public interface Writing {
    CompletionStage<Object> send(Script script, List<String> keys, List<String> args);
  }

  public RedisRegisters(RedisPort port, RedisKeys keys, Writing writing) {
    this.port = port;
    this.keys = keys;
    this.writing = writing;
  }

  @Override
  public CompletionStage<Register> read(String key) {
    return readAll(List.of(Register.checkKey(key))).thenApply(all -> all.get(0));
  }

  private CompletionStage<List<Register>> readAll(List<String> some) {
    return port.eval(Scripts.REGISTER_READ, some.stream().map(keys::register).toList(), List.of())
        .thenApply(
            answer -> {
              List<?> texts = Answers.list(answer);
              List<Register> registers = new ArrayList<>();
              for (int i = 0; i < some.size(); i++) {
                registers.add(register(some.get(i), texts.get(i)));
              }
              return registers;
            });
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    Register next = seen.next(value);
    String text = next.version() + "\n" + value.map(each -> "=" + each).orElse("");
    return writing
        .send(
            Scripts.REGISTER_WRITE,
            List.of(keys.register(seen.key())),
            List.of(Long.toString(seen.version()), text))
        .thenApply(
            answer -> {
              List<?> fields = Answers.list(answer);
              return Answers.number(fields.get(0)) == 1
                  ? new RegisterReply.Written(next)
                  : new RegisterReply.Changed(
                      register(seen.key(), fields.size() > 1 ? fields.get(1) : null));
            });
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return port.scan(keys.registerPattern(prefix))
        .thenCompose(
            found ->
                described(
                    found.stream()
                        .distinct()
                        .flatMap(key -> keys.ofRegister(key).stream())
                        .filter(key -> key.startsWith(prefix))
                        .toList()))
        .thenApply(
            all ->
                all.filter(each -> each.value().isPresent())
                    .sorted(Comparator.comparing(Register::key, RedisListing.BY_BYTES))
                    .limit(limit)
                    .toList());
  }

  /** In a cluster, one command reads keys of one tag. */
  private CompletionStage<Stream<Register>> described(List<String> found) {
    Map<String, List<String>> byTag = new LinkedHashMap<>();
    found.forEach(
        key -> byTag.computeIfAbsent(RedisKeys.tag(key), tag -> new ArrayList<>()).add(key));
    List<CompletableFuture<List<Register>>> parts = new ArrayList<>();
    for (List<String> ofTag : byTag.values()) {
      for (int from = 0; from < ofTag.size(); from += READ_AT_ONCE) {
        parts.add(
            readAll(ofTag.subList(from, Math.min(ofTag.size(), from + READ_AT_ONCE)))
                .toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(done -> parts.stream().flatMap(part -> part.join().stream()));
  }

  private static Register register(String key, @Nullable Object answer) {
    if (answer == null) {
      return Register.absent(key);
    }
    String text = Answers.text(answer);
    int end = text.indexOf('\n');
    return new Register(
        key,
        Long.parseLong(text.substring(0, end)),
        text.length() > end + 1 ? Optional.of(text.substring(end + 2)) : Optional.empty());
  }
}
