package dev.pawl.redis;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.redlock.RedlockScripts;
import dev.pawl.redis.store.ScriptParts;
import dev.pawl.redis.store.Scripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A port whose scripts take the time from the test, as their last argument. */
public final class SettableClock extends ForwardingPort {

  private static final String CLOCK =
      """
      local time = { string.sub(ARGV[#ARGV], 1, -7), string.sub(ARGV[#ARGV], -6) }
      """;

  /** What a server does by itself: a key whose one claim is over by the clock is gone. */
  private static final String EXPIRY =
      """
      for _, key in ipairs(KEYS) do
        local state = redis.call('GET', key) or ''
        local kind, since, lease = string.match(state, '^([12])\\n(%d+)\\n[^\\n]*\\n(%d+)\\n')
        if kind == '2' then
          since = string.match(state, '%d+$')
        end
        if since and since + lease <= tonumber(ARGV[#ARGV]) then
          redis.call('DEL', key)
        end
      end
      """;

  private static final ScriptParts PARTS = new ScriptParts(CLOCK, false, SettableClock::lasting);

  /** The scripts for it; keys stay, whatever the server's own clock says meanwhile. */
  static final Scripts SCRIPTS = Scripts.of(PARTS);

  public static final RedlockScripts REDLOCK_SCRIPTS = RedlockScripts.of(PARTS, SCRIPTS);

  private static String lasting(String script) {
    return EXPIRY
        + script
            .replace("math.floor((forget - now) / 1000) + 1", "3600000")
            .replace("'PX', ARGV[2]", "'PX', 3600000")
            .replace("'PX', ARGV[4]", "'PX', 3600000")
            .replace("'PXAT', ARGV[5]", "'PX', 3600000");
  }

  public long nowMicros = 1_800_000_000_000_000L;

  public SettableClock(RedisPort port) {
    super(port);
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    List<String> all = new ArrayList<>(args);
    all.add(Long.toString(nowMicros));
    return super.eval(script, keys, all);
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    throw new UnsupportedOperationException("not with a clock of the test");
  }
}
