package dev.pawl.hazelcast;

import com.hazelcast.client.HazelcastClientNotActiveException;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.ExecutionCallback;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.IExecutorService;
import com.hazelcast.partition.Partition;
import dev.pawl.OutcomeUnknownException;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Renewals: a turn for each name, with all of the name's claims in it. Those of many names are sent
 * in one message to the member that owns them.
 *
 * <p>Such a message is answered when the backups of all its names are. So one member that is silent
 * takes along what the others own, wherever it has the backup of one name among them. After a
 * message that was not answered each partition is a shard of its own for a while.
 */
final class HazelcastRenewals {

  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * How long none is sent behind a turn that was given up: Hazelcast keeps each for a minute or
   * two. But the answer may be lost, and the next turn be answered.
   */
  private static final long BEHIND_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** As many as there are partitions by default. */
  private static final int MOST_SHARDS_OF_AN_OWNER = 271;

  private final HazelcastInstance instance;
  private final HazelcastCalls calls;
  private final HazelcastOptions options;
  private final Entries locks;
  private final Supplier<IExecutorService> executor;

  /** Names of which a turn was given up, and is still under way. */
  private final ConcurrentMap<String, Silent> silent = new ConcurrentHashMap<>();

  /** When a message for many names was not answered the last time, if ever. */
  private final AtomicReference<@Nullable Long> silentNanos = new AtomicReference<>();

  HazelcastRenewals(
      HazelcastInstance instance, HazelcastCalls calls, HazelcastOptions options, Entries locks) {
    this.instance = instance;
    this.calls = calls;
    this.options = options;
    this.locks = locks;
    this.executor = () -> instance.getExecutorService(options.members());
  }

  /** Returns what fails together with a name: its owner's names, or those of its partition. */
  String shard(String name) {
    try {
      Partition partition = instance.getPartitionService().getPartition(name);
      Member owner = partition.getOwner();
      return owner == null
          ? ""
          : isApart()
              ? owner.getUuid() + "/" + partition.getPartitionId() % MOST_SHARDS_OF_AN_OWNER
              : owner.getUuid().toString();
    } catch (HazelcastInstanceNotActiveException | HazelcastClientNotActiveException e) {
      return ""; // What is sent now fails by itself, and says so.
    }
  }

  private @Nullable Member owner(String name) {
    try {
      return instance.getPartitionService().getPartition(name).getOwner();
    } catch (HazelcastInstanceNotActiveException | HazelcastClientNotActiveException e) {
      return null;
    }
  }

  private boolean isApart() {
    Long silent = silentNanos.get();
    return silent != null && System.nanoTime() - silent < APART_NANOS;
  }

  CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    Map<String, List<Integer>> places = new LinkedHashMap<>();
    for (int i = 0; i < commands.size(); i++) {
      places.computeIfAbsent(commands.get(i).name(), name -> new ArrayList<>()).add(i);
    }
    RenewReply[] replies = new RenewReply[commands.size()];
    Member owner = owner(commands.get(0).name());
    CompletionStage<?> done =
        places.size() == 1 || owner == null || isApart()
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
                one(name, turn(name, of, commands), answer -> place(answer, of, replies))
                    .toCompletableFuture()));
    return CompletableFuture.allOf(turns.toArray(CompletableFuture[]::new));
  }

  private CompletionStage<RenewReply[]> one(
      String name, LockTurn turn, Function<byte[], RenewReply[]> read) {
    Silent before = silent.get(name);
    if (before != null && System.nanoTime() - before.sinceNanos < BEHIND_NANOS) {
      return CompletableFuture.failedFuture(HazelcastErrors.silent(calls.where()));
    }
    AtomicReference<@Nullable CompletionStage<byte[]>> sent = new AtomicReference<>();
    return calls
        .send(
            () -> {
              CompletionStage<byte[]> answer = locks.submit(name, turn);
              sent.set(answer);
              return answer;
            },
            read)
        .whenComplete(
            (done, error) -> {
              CompletionStage<byte[]> answer = sent.get();
              if (error == null) {
                silent.remove(name);
              } else if (answer != null) {
                Silent now = new Silent(answer, System.nanoTime());
                silent.put(name, now);
                // At once, if it is the answer that failed.
                var unused = answer.whenComplete((late, failure) -> silent.remove(name, now));
              }
            });
  }

  private record Silent(CompletionStage<?> answer, long sinceNanos) {}

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
                    }))
        .whenComplete(
            (done, error) -> {
              if (error != null
                  && HazelcastErrors.unwrap(error) instanceof OutcomeUnknownException) {
                silentNanos.set(System.nanoTime());
              }
            });
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
