package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redlock by nodes that repeat their acquires, while messages are on their way for any time. */
@Tag("safety")
class RedlockCopiesTest {

  private static final String NAME = "a";
  private static final long LEASE = 3_600_000_000L;
  private static final int WORLDS = 300;
  private static final int STEPS = 1_000;

  @Test
  void whoWasGrantedKeepsAQuorumThoughItsOtherCopiesAreRefused() {
    long base = Long.getLong("pawl.seed", 1);
    int grants = 0;
    for (int i = 0; i < WORLDS; i++) {
      grants += new World(base + i).run();
    }
    assertThat(grants).as("the worlds were not dead").isGreaterThan(WORLDS * 3);
  }

  /** Five servers, two nodes, and a link from each to each. */
  private static final class World {
    private final long seed;
    private final Random random;
    private final List<SimulatedServer> servers;
    private final List<Link> links = new ArrayList<>();
    private final List<Node> nodes;
    private long now = 1_800_000_000_000_000L;
    private long claims;
    private int grants;
    private boolean overlaps;

    World(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.servers =
          IntStream.range(0, 5).mapToObj(i -> new SimulatedServer(() -> now, random)).toList();
      this.nodes = IntStream.range(0, 2).mapToObj(i -> new Node("n" + i)).toList();
    }

    int run() {
      for (int step = 0; step < STEPS; step++) {
        now += 50;
        if (random.nextInt(15) == 0) {
          nodes.get(random.nextInt(nodes.size())).act();
        } else {
          deliverOne();
        }
        assertThat(overlaps).as("seed %s: two hold after step %s", seed, step).isFalse();
      }
      return grants;
    }

    private void deliverOne() {
      List<Queue<Runnable>> busy =
          links.stream()
              .flatMap(link -> Stream.of(link.commands, link.answers))
              .filter(queue -> !queue.isEmpty())
              .toList();
      if (!busy.isEmpty()) {
        busy.get(random.nextInt(busy.size())).remove().run();
      }
    }

    /** A node with one claim at a time, which it asks for until it has it, like the engine. */
    private final class Node {
      private final String id;
      private final Redlock redlock;
      private Command.Acquire asked;
      private boolean held;

      Node(String id) {
        this.id = id;
        List<Link> own = servers.stream().map(Link::new).toList();
        links.addAll(own);
        redlock = new Redlock("simulated", own, () -> now, 1);
        asked = next();
      }

      void act() {
        if (held) {
          held = false;
          var unused =
              redlock.release(
                  new Command.Release(NAME, asked.claim(), 0, OptionalLong.empty(), false));
          asked = next();
        } else {
          Command.Acquire copy = asked;
          var unused = redlock.acquire(copy).thenAccept(reply -> onReply(copy, reply));
        }
      }

      private void onReply(Command.Acquire copy, AcquireReply reply) {
        if (reply instanceof AcquireReply.Granted && copy.equals(asked) && !held) {
          overlaps |= nodes.stream().anyMatch(node -> node.held);
          held = true;
          grants++;
        }
      }

      private Command.Acquire next() {
        return new Command.Acquire(
            NAME,
            new ClaimId(id, ++claims),
            Command.EVERYTHING,
            Command.EVERYTHING,
            LEASE,
            1,
            OptionalLong.empty(),
            false,
            false,
            "label",
            "actor");
      }
    }
  }

  /** A node's connection to a server: what it sends arrives in order, and so do the answers. */
  private static final class Link implements RedlockServer {
    private final SimulatedServer server;
    private final Queue<Runnable> commands = new ArrayDeque<>();
    private final Queue<Runnable> answers = new ArrayDeque<>();

    Link(SimulatedServer server) {
      this.server = server;
    }

    private <R> CompletionStage<R> send(Supplier<CompletionStage<R>> command) {
      CompletableFuture<R> answer = new CompletableFuture<>();
      commands.add(
          () -> {
            R reply = command.get().toCompletableFuture().join();
            answers.add(() -> answer.complete(reply));
          });
      return answer;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command, long floor) {
      return send(() -> server.acquire(command, floor));
    }

    @Override
    public CompletionStage<AcquireReply> yieldGrant(Command.Yield command, long floor) {
      return send(() -> server.yieldGrant(command, floor));
    }

    @Override
    public CompletionStage<Boolean> setToken(Command.Acquire command, long token) {
      return send(() -> server.setToken(command, token));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return send(() -> server.renew(commands));
    }

    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return send(() -> server.release(command));
    }

    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      return send(() -> server.cancel(command));
    }

    @Override
    public CompletionStage<CancelReply> takeBack(Command.Acquire refused) {
      return send(() -> server.takeBack(refused));
    }

    @Override
    public CompletionStage<EvictReply> evict(Command.Evict command) {
      return send(() -> server.evict(command));
    }

    @Override
    public CompletionStage<Long> nowMicros() {
      return send(server::nowMicros);
    }
  }
}
