package dev.pawl.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.ExecutionCallback;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.IExecutorService;
import dev.pawl.hazelcast.member.Entries;
import dev.pawl.hazelcast.member.LockTurn;
import dev.pawl.hazelcast.member.RenewalTask;
import dev.pawl.hazelcast.member.Wire;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renewals: a turn for each name, with all of the name's claims in it. Those of many names are sent
 * in one message to the member that owns them.
 */
final class HazelcastRenewals {

  private final HazelcastInstance instance;
  private final HazelcastCalls calls;
  private final HazelcastOptions options;
  private final Entries locks;
  private final Supplier<IExecutorService> executor;

  HazelcastRenewals(
      HazelcastInstance instance, HazelcastCalls calls, HazelcastOptions options, Entries locks) {
    this.instance = instance;
    this.calls = calls;
    this.options = options;
    this.locks = locks;
    this.executor = () -> instance.getExecutorService(options.members());
  }

  /** Returns the member that owns a name, if there is one at the moment. */
  @Nullable Member owner(String name) {
    try {
      return instance.getPartitionService().getPartition(name).getOwner();
    } catch (HazelcastInstanceNotActiveException e) {
      return null; // What is sent now fails by itself, and says so.
    }
  }

  CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    Map<String, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < commands.size(); i++) {
      places.computeIfAbsent(commands.get(i).name(), name -> new ArrayList<>()).add(i);
    }
    RenewReply[] replies = new RenewReply[commands.size()];
    Member owner = owner(commands.get(0).name());
    CompletionStage<?> done =
        places.size() == 1 || owner == null
            ? oneByOne(commands, places, replies)
            : together(owner, commands, places, replies);
    return done.thenApply(all -> List.of(replies));
  }

  private LockTurn turn(String name, List<Integer> places, List<Command.Renew> commands) {
    return new LockTurn(options.prefix(), name, places.stream().map(commands::get).toList());
  }

  private CompletionStage<?> oneByOne(
      List<Command.Renew> commands, Map<String, List<Integer>> places, RenewReply[] replies) {
    List<CompletableFuture<?>> turns = new ArrayList<>(places.size());
    places.forEach(
        (name, of) ->
            turns.add(
                calls
                    .submit(
                        locks, name, turn(name, of, commands), answer -> place(answer, of, replies))
                    .toCompletableFuture()));
    return CompletableFuture.allOf(turns.toArray(CompletableFuture[]::new));
  }

  private CompletionStage<?> together(
      Member owner,
      List<Command.Renew> commands,
      Map<String, List<Integer>> places,
      RenewReply[] replies) {
    List<LockTurn> turns = new ArrayList<>(places.size());
    places.forEach((name, of) -> turns.add(turn(name, of, commands)));
    RenewalTask task = new RenewalTask(options.locks(), turns);
    return calls
        .send(
            () -> {
              CompletableFuture<byte[]> answer = new CompletableFuture<>();
              executor.get().submitToMember(task, owner, new Answer(answer));
              return answer;
            })
        .thenAccept(
            all ->
                Wire.read(
                    all,
                    in -> {
                      for (List<Integer> of : places.values()) {
                        place(Wire.block(in), of, replies);
                      }
                      return replies;
                    }));
  }

  private static RenewReply[] place(byte[] answer, List<Integer> places, RenewReply[] replies) {
    return Wire.read(
        answer,
        in -> {
          for (int place : places) {
            replies[place] = (RenewReply) Wire.reply(in);
          }
          return replies;
        });
  }

  private record Answer(CompletableFuture<byte[]> answer) implements ExecutionCallback<byte[]> {
    @Override
    public void onResponse(byte[] response) {
      answer.complete(response);
    }

    @Override
    public void onFailure(Throwable error) {
      answer.completeExceptionally(error);
    }
  }
}
