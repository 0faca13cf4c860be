package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Redlock over simulated servers that crash, restart, forget and lose replies. */
class RedlockPropertyTest {

  private static final long LEASE = 1_000_000;
  private static final String NAME = "a";
  private static final int WORLDS = 200;
  private static final int STEPS = 150;

  @Test
  void grantsExcludeEachOtherAndTokensRiseWhileWhoForgetsComesBackAfterTheLease() {
    long base = Long.getLong("pawl.seed", 1);
    int grants = 0;
    for (int i = 0; i < WORLDS; i++) {
      World world = new World(base + i);
      world.run(true);
      grants += world.grants;
    }
    assertThat(grants).as("the worlds were not dead").isGreaterThan(WORLDS * 10);
  }

  @Test
  void tokensRiseEvenWhenAMajorityForgotWhileTheClocksGoOn() {
    long base = Long.getLong("pawl.seed", 1);
    for (int i = 0; i < WORLDS; i++) {
      World world = new World(base + i);
      world.servers.forEach(server -> server.skewMicros = 0);
      world.mayOverlap = true;
      world.run(false);
    }
  }

  @Test
  void aMajorityThatForgotAtOnceGrantsTwice() {
    World world = new World(1);
    assertThat(world.acquire(0)).as("the first holds").isNotNull();
    world.mayOverlap = true;
    world.servers.subList(0, 3).forEach(SimulatedServer::forgetEverything);
    world.now += 10_000;
    assertThat(world.acquire(1)).as("and so does the second: what the docs warn of").isNotNull();
  }

  @Test
  void tokensGoBackIfAMajorityForgotAndItsClocksWereSetBack() {
    World world = new World(1);
    Grant first = world.acquire(0);
    assertThat(first).isNotNull();
    world.servers.forEach(SimulatedServer::forgetEverything);
    world.servers.forEach(server -> server.skewMicros = -3_600_000_000L);
    world.checked = false;
    Grant second = world.acquire(1);
    assertThat(second).isNotNull();
    assertThat(second.token()).as("the limit of I3, as documented").isLessThan(first.token());
  }

  /** Five servers, three nodes, and a judge. */
  private static final class World {
    private final long seed;
    private final Random random;
    private final List<SimulatedServer> servers;
    private final List<Redlock> nodes;
    private long now = 1_800_000_000_000_000L;
    private long counter;
    private int grants;
    private boolean mayOverlap;
    private boolean checked = true;

    private long highestToken;
    private int holder = -1;
    private ClaimId held;
    private Grant grant;
    private long heldUntil;

    World(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.servers =
          IntStream.range(0, 5).mapToObj(i -> new SimulatedServer(() -> now, random)).toList();
      servers.forEach(server -> server.skewMicros = random.nextInt(40_000) - 20_000L);
      // Each node has its own steady clock, from its own zero.
      this.nodes =
          IntStream.range(0, 3)
              .mapToObj(
                  i -> {
                    long zero = random.nextInt(1_000_000_000);
                    return new Redlock("simulated", servers, () -> now - zero, 1);
                  })
              .toList();
    }

    void run(boolean delayedRestart) {
      for (int step = 0; step < STEPS; step++) {
        now += 1_000 + random.nextInt(150_000);
        fault(delayedRestart);
        int node = random.nextInt(nodes.size());
        if (node == holder && now < heldUntil) {
          if (random.nextBoolean()) {
            release();
          } else {
            renew();
          }
        } else {
          acquire(node);
        }
      }
    }

    private void fault(boolean delayedRestart) {
      SimulatedServer server = servers.get(random.nextInt(servers.size()));
      switch (random.nextInt(8)) {
        case 0 -> down(server, random.nextInt(1_500_000));
        case 1 -> {
          server.forgetEverything();
          down(server, delayedRestart ? 2 * LEASE : random.nextInt(1_000));
        }
        case 2 -> server.lossPercent = random.nextInt(60);
        case 3 -> servers.forEach(each -> each.lossPercent = 0);
        default -> {}
      }
    }

    /** A server that is down for long does not come back earlier because it fails again. */
    private void down(SimulatedServer server, long micros) {
      server.downUntilMicros = Math.max(server.downUntilMicros, now + micros);
    }

    Grant acquire(int node) {
      ClaimId claim = new ClaimId("n" + node, ++counter);
      Command.Acquire command =
          new Command.Acquire(
              NAME,
              claim,
              Command.EVERYTHING,
              Command.EVERYTHING,
              LEASE,
              1 + random.nextInt(65),
              OptionalLong.empty(),
              false,
              false,
              "label",
              "actor");
      AcquireReply reply;
      try {
        reply = join(nodes.get(node).acquire(command).toCompletableFuture());
      } catch (CompletionException e) {
        return null; // An exception, not a grant: nothing to judge.
      }
      if (!(reply instanceof AcquireReply.Granted granted)) {
        return null;
      }
      grants++;
      long until = now + LEASE - LEASE / 100 - 2_000;
      if (checked) {
        assertThat(mayOverlap || now >= heldUntil)
            .as("seed %s: %s is granted while %s holds", seed, claim, held)
            .isTrue();
        assertThat(granted.grant().token())
            .as("seed %s: token of %s", seed, claim)
            .isGreaterThan(highestToken);
      }
      highestToken = granted.grant().token() + command.span() - 1;
      holder = node;
      held = claim;
      grant = granted.grant();
      heldUntil = until;
      return grant;
    }

    private void renew() {
      Command.Renew renewal = new Command.Renew(NAME, held, Command.EVERYTHING, LEASE, "actor");
      try {
        List<RenewReply> replies =
            join(nodes.get(holder).renew(List.of(renewal)).toCompletableFuture());
        if (replies.get(0) instanceof RenewReply.Held renewed) {
          assertThat(renewed.grant().token())
              .as("seed %s: renewed token of %s", seed, held)
              .isEqualTo(grant.token());
          heldUntil = now + LEASE - LEASE / 100 - 2_000;
        } else {
          heldUntil = now;
        }
      } catch (CompletionException e) {
        // It goes on until its deadline.
      }
    }

    private void release() {
      heldUntil = now;
      Command.Release release =
          new Command.Release(NAME, held, highestToken, OptionalLong.empty(), false);
      List<Object> ignored = new ArrayList<>();
      var unused = nodes.get(holder).release(release).whenComplete((r, e) -> ignored.add(r));
    }

    private static <T> T join(CompletableFuture<T> future) {
      assertThat(future).as("all servers have answered").isDone();
      return future.join();
    }
  }
}
