package dev.pawl.redis.store;

import dev.pawl.redis.port.Answers;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** RenewalsByName of one call, those of one name together: the script reads and writes it once. */
public final class RenewalsByName {

  private final List<Command.Renew> commands;

  /** Where in the call the claims of a name are. */
  private final Map<String, List<Integer>> places = new LinkedHashMap<>();

  public RenewalsByName(List<Command.Renew> commands) {
    this.commands = commands;
    for (int i = 0; i < commands.size(); i++) {
      places.computeIfAbsent(commands.get(i).name(), name -> new ArrayList<>(1)).add(i);
    }
  }

  public List<String> keys(RedisKeys keys) {
    return places.keySet().stream().map(keys::key).toList();
  }

  /** Returns for each name how many claims it has, and what there is to say of each. */
  public List<String> arguments() {
    List<String> args = new ArrayList<>(4 * commands.size() + places.size());
    for (List<Integer> ofName : places.values()) {
      args.add(Integer.toString(ofName.size()));
      for (int place : ofName) {
        Command.Renew c = commands.get(place);
        args.add(c.claim().toString());
        args.add(Integer.toString(c.permits()));
        args.add(Long.toString(c.leaseMicros()));
        args.add(c.actor());
      }
    }
    return args;
  }

  /** Returns the script's answers in the order of the commands. */
  public List<RenewReply> replies(Object answer) {
    List<?> answers = Answers.list(answer);
    RenewReply[] replies = new RenewReply[commands.size()];
    int next = 0;
    for (List<Integer> ofName : places.values()) {
      for (int place : ofName) {
        replies[place] = RedisProtocol.renewReply(commands.get(place).claim(), answers.get(next));
        next++;
      }
    }
    return Arrays.asList(replies);
  }
}
