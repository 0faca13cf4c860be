package dev.pawl.redis;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A port that counts what it is asked to run. A command that is sent again, since it was not
 * answered in a second, has the same values and counts once: how busy the machine is makes no
 * difference.
 */
final class CountingPort extends ForwardingPort {

  private final Set<Call> calls = ConcurrentHashMap.newKeySet();

  private record Call(String file, List<String> keys, List<String> args) {}

  CountingPort(RedisPort port) {
    super(port);
  }

  void reset() {
    calls.clear();
  }

  long count(String file) {
    return calls.stream().filter(call -> call.file.equals(file)).count();
  }

  /** How many there were of all scripts but one. */
  long countBut(String file) {
    return calls.size() - count(file);
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    calls.add(new Call(script.file(), keys, args));
    return super.eval(script, keys, args);
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    calls.add(new Call(script.file(), keys, args));
    return super.evalReplicated(script, keys, args, replicas, timeout);
  }
}
