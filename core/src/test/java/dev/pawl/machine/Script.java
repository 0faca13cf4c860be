package dev.pawl.machine;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * A random sequence of events, the same for the same seed: several nodes with a few claims each,
 * that repeat, delay, forget and contradict themselves.
 */
final class Script {

  static final String NAME = "n";

  private static final int CLAIMS = 8;

  /** As many as wait at once in some scripts: enough for some to be far back in the queue. */
  private static final int CROWD = 16;

  private static final String[] NODES = {"a", "b", "c"};
  private static final long[] LEASES = {100_000, 1_500_000, 2_000_000, 3_000_000, 10_000_000};
  private static final long[] PAUSES = {
    1,
    1,
    70,
    1_000,
    100_000,
    500_000,
    1_999_999,
    2_000_000,
    3_000_000,
    5_000_000,
    12_000_000,
    61_000_000
  };
  private static final long EIGHT_DAYS = 8L * 24 * 3600 * 1_000_000;

  private final SplittableRandom random;
  private final List<Command.Acquire> claims = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final boolean crowded;

  private Script(long seed) {
    this.random = new SplittableRandom(seed);
    int capacity = 2 + random.nextInt(3);
    boolean mixed = chance(15);
    boolean marks = chance(30);
    int fairness = new int[] {100, 100, 50, 0}[random.nextInt(4)];
    int kinds = random.nextInt(4);
    this.crowded = chance(20);
    for (int i = 0; i < (crowded ? CROWD : CLAIMS); i++) {
      claims.add(claim(i, kinds, mixed ? 2 + random.nextInt(3) : capacity, marks, fairness));
    }
  }

  /** Returns the events of a seed. */
  static List<Event> of(long seed, int length) {
    Script script = new Script(seed);
    if (script.crowded) {
      script.claims.forEach(claim -> script.events.add(new Event.Send(claim)));
    }
    while (script.events.size() < length) {
      script.events.add(script.next());
    }
    return script.events;
  }

  private Command.Acquire claim(int i, int kinds, int ofMany, boolean marks, int fairness) {
    int kind = kinds < 3 ? kinds : random.nextInt(3);
    int capacity = kind == 2 ? ofMany : Command.EVERYTHING;
    int permits =
        switch (kind) {
          case 0 -> Command.EVERYTHING;
          case 1 -> chance(60) ? 1 : Command.EVERYTHING;
          default -> 1 + random.nextInt(capacity);
        };
    return new Command.Acquire(
        NAME,
        new ClaimId(NODES[i % NODES.length], i),
        permits,
        capacity,
        LEASES[random.nextInt(LEASES.length)],
        chance(40) ? 64 : 1 + random.nextInt(3),
        marks && chance(70) ? OptionalLong.of(random.nextInt(4)) : OptionalLong.empty(),
        chance(85),
        chance(fairness),
        "node " + NODES[i % NODES.length],
        "thread " + i);
  }

  private Event next() {
    int dice = random.nextInt(100);
    if (dice < 28) {
      return new Event.Send(acquire());
    } else if (dice < 42) {
      return new Event.Send(renew());
    } else if (dice < 54) {
      return release();
    } else if (dice < 59) {
      return yieldGrant();
    } else if (dice < 66) {
      return new Event.Send(new Command.Cancel(NAME, any().claim(), chance(50)));
    } else if (dice < 69) {
      return new Event.Evict(any().claim(), random.nextInt(3));
    } else if (dice < 71) {
      long mark = random.nextInt(4);
      return new Event.Send(
          new Command.Reset(
              NAME,
              mark,
              mark == 0 || chance(50)
                  ? OptionalLong.empty()
                  : OptionalLong.of(random.nextLong(mark))));
    } else if (dice < 80) {
      return copy();
    } else if (dice < 97) {
      return pass();
    }
    return chance(50) ? new Event.CleanUp() : new Event.Amnesia();
  }

  /** A claim's acquire has the same values every time, but for whether it would wait. */
  private Command.Acquire acquire() {
    Command.Acquire claim = any();
    return chance(90) ? claim : withQueue(claim, !claim.queue());
  }

  private static Command.Acquire withQueue(Command.Acquire claim, boolean queue) {
    return new Command.Acquire(
        claim.name(),
        claim.claim(),
        claim.permits(),
        claim.capacity(),
        claim.leaseMicros(),
        claim.span(),
        claim.mark(),
        queue,
        claim.fair(),
        claim.label(),
        claim.actor());
  }

  private Command.Renew renew() {
    Command.Acquire claim = any();
    int permits = chance(80) ? claim.permits() : 1;
    long lease = chance(80) ? claim.leaseMicros() : 200_000;
    return new Command.Renew(NAME, claim.claim(), permits, lease, claim.actor() + "'");
  }

  private Event.Release release() {
    Command.Acquire claim = any();
    // One below is what a grant has used that was never given to anybody; one above is a lie.
    int used = random.nextInt(Math.min(claim.span(), 4) + 2) - 1;
    OptionalLong mark =
        claim.mark().isPresent() && chance(70)
            ? OptionalLong.of(random.nextInt(4))
            : OptionalLong.empty();
    return new Event.Release(claim.claim(), used, mark, chance(40));
  }

  /** A claim is never used again, so what it yields to is another one. */
  private Event yieldGrant() {
    Event.Release release = release();
    Command.Acquire next = acquire();
    while (next.claim().equals(release.claim())) {
      next = acquire();
    }
    return new Event.Yield(release, next);
  }

  private Event copy() {
    if (events.isEmpty()) {
      return new Event.Send(acquire());
    }
    Event original = events.get(random.nextInt(events.size()));
    return original instanceof Event.Copy copy ? copy : new Event.Copy(original);
  }

  private Event pass() {
    if (chance(30)) {
      return new Event.PassToNextEnd(random.nextInt(3) - 1);
    }
    return new Event.Pass(chance(2) ? EIGHT_DAYS : PAUSES[random.nextInt(PAUSES.length)]);
  }

  /** A few claims that meet often, and some more. */
  private Command.Acquire any() {
    return claims.get(random.nextInt(!crowded && chance(70) ? 4 : claims.size()));
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }
}
