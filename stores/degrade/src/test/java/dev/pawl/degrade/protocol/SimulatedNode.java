package dev.pawl.degrade.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A node of {@link ProtocolSimulation}: asks for names, works, and keeps its mode lease. */
final class SimulatedNode {

  private static final long TURN = 200 * ProtocolSimulation.MILLI;
  private static final long LOCK_LEASE = 4 * ProtocolSimulation.SECOND;
  private static final long RETURN_AFTER = 2 * ProtocolSimulation.SECOND;

  /** What the node has of a name. */
  private static final class Work {
    final long claim;
    final int name;
    Footing footing;
    final long deadline;
    boolean lost;

    Work(long claim, int name, Footing footing, long deadline) {
      this.claim = claim;
      this.name = name;
      this.footing = footing;
      this.deadline = deadline;
    }
  }

  private final ProtocolSimulation world;
  private final int number;
  private final double rate;
  private final long offset;
  private final Warden warden;
  private final @Nullable Work[] works = new Work[ProtocolSimulation.NAMES];
  private final List<Runnable> missed = new ArrayList<>();
  private long known;
  private long wantedCeiling;
  boolean alive = true;
  boolean cutFromPrimary;
  boolean cutFromBackup;
  private boolean paused;

  SimulatedNode(ProtocolSimulation world, int number, double speed) {
    this.world = world;
    this.number = number;
    this.rate = speed + (world.random.nextDouble() - 0.5) * 0.008;
    this.offset = world.random.nextLong();
    this.warden =
        new Warden("n" + number, true, world.record.stores(), ProtocolSimulation.MODE_LEASE);
    world.in(number, this::turn);
  }

  private long nanos() {
    return offset + (long) (world.now * rate);
  }

  /** Runs something here: later if the node is paused, never if it is dead. */
  void run(Runnable action) {
    if (paused) {
      missed.add(action);
    } else if (alive) {
      action.run();
    }
  }

  void pause(long lasts) {
    if (!paused) {
      paused = true;
      world.in(
          lasts,
          () -> {
            paused = false;
            List<Runnable> late = new ArrayList<>(missed);
            missed.clear();
            late.forEach(this::run);
          });
    }
  }

  /** Whether something runs here under that name, or is believed. */
  boolean works(int name) {
    Work work = works[name];
    return alive
        && work != null
        && warden.standing().lastsAt(nanos())
        && nanos() - work.deadline < 0;
  }

  private void turn() {
    if (!alive) {
      return;
    }
    run(this::step);
    world.in(TURN / 2 + world.random.nextLong(TURN), this::turn);
  }

  private void step() {
    for (int name = 0; name < works.length; name++) {
      if (works[name] != null && !works(name)) {
        end(name);
      }
    }
    readRecord();
    ModeRecord seen = warden.standing().seen();
    if (seen == null || !warden.standing().lastsAt(nanos())) {
      return;
    }
    int name = world.random.nextInt(works.length);
    Work work = works[name];
    if (work == null) {
      ask(name, seen);
    } else if (!work.lost && !work.footing.isReady(seen)) {
      upgrade(work, seen);
    } else if (world.chance(20) || work.lost) {
      end(name);
    }
  }

  // The record.

  private void readRecord() {
    world.send(
        this,
        false,
        () -> new Object[] {world.record, world.version()},
        reply -> {
          known = (Long) reply[1];
          if (warden.onRead((ModeRecord) reply[0], nanos())) {
            onSeen();
            act((ModeRecord) reply[0], known);
          }
        });
  }

  private void act(ModeRecord read, long version) {
    long target = read.mode() == Mode.LEAVING ? world.backupTokens : world.primaryTokens;
    boolean reachable = read.mode() != Mode.RETURNING || !world.isCut(this, true);
    boolean idle = true;
    boolean ready = true;
    for (Work work : works) {
      if (work != null) {
        idle &= !work.lost;
        ready &= work.footing.isReady(read);
      }
    }
    Optional<Change> change =
        warden.next(
            idle,
            ready,
            world.isCut(this, true) ? Sight.DEAD : Sight.WELL,
            wantedCeiling,
            RETURN_AFTER,
            reachable ? OptionalLong.of(target) : OptionalLong.empty(),
            nanos());
    if (change.isEmpty()
        || !(ModeMachine.apply(read, change.get()) instanceof ModeMachine.Changed changed)) {
      return;
    }
    long sent = nanos();
    world.send(
        this,
        false,
        () -> world.compareAndSet(version, changed.record()),
        made -> {
          if (made && warden.onChanged(change.get(), changed.record(), sent, nanos())) {
            onSeen();
          }
        });
  }

  private void onSeen() {
    ModeRecord seen = warden.standing().seen();
    for (Work work : works) {
      if (work != null && !work.lost && !work.footing.stands(seen)) {
        work.lost = true; // What runs under it takes its time to end.
        world.in(world.random.nextLong(ProtocolSimulation.SECOND), () -> run(() -> end(work)));
      }
    }
  }

  // The names.

  private static String key(int name, long epoch) {
    return epoch + "/" + name;
  }

  private void ask(int name, ModeRecord seen) {
    long claim = world.claim();
    long deadline = nanos() + LOCK_LEASE - Standing.driftNanos(LOCK_LEASE);
    switch (seen.mode()) {
      case PRIMARY ->
          world.send(
              this,
              true,
              () -> world.take(true, key(name, seen.primaryNames()), claim, LOCK_LEASE),
              token ->
                  got(claim, name, new Footing(seen.primaryNames(), 0), token, deadline, false));
      case BACKUP ->
          world.send(
              this,
              false,
              () -> world.take(false, key(name, seen.backupNames()), claim, LOCK_LEASE),
              token ->
                  got(claim, name, new Footing(0, seen.backupNames()), token, deadline, false));
      case RETURNING -> askBoth(claim, name, seen, deadline);
      case LEAVING -> {}
    }
  }

  /** In the backup first, then in the primary, and then another look at the record. */
  private void askBoth(long claim, int name, ModeRecord seen, long deadline) {
    world.send(
        this,
        false,
        () -> world.take(false, key(name, seen.backupNames()), claim, LOCK_LEASE),
        inBackup -> {
          if (inBackup == 0 || works[name] != null) {
            return;
          }
          world.send(
              this,
              true,
              () -> world.take(true, key(name, seen.primaryNames()), claim, LOCK_LEASE),
              inPrimary ->
                  world.send(
                      this,
                      false,
                      () -> world.record,
                      record -> {
                        if (inPrimary == 0 || !warden.onRead(record, nanos())) {
                          return;
                        }
                        onSeen();
                        Footing both = new Footing(seen.primaryNames(), seen.backupNames());
                        boolean returned = record.mode() == Mode.PRIMARY;
                        got(claim, name, both, returned ? inPrimary : inBackup, deadline, true);
                      }));
        });
  }

  private void got(long claim, int name, Footing footing, long raw, long deadline, boolean looked) {
    ModeRecord seen = warden.standing().seen();
    if (raw == 0 || seen == null || works[name] != null) {
      return;
    }
    // While the locks return, a grant of the backup alone is not enough.
    boolean enough = footing.isReady(seen) && (seen.mode() != Mode.RETURNING || looked);
    if (!enough || !warden.standing().believes(footing, nanos()) || nanos() - deadline >= 0) {
      return;
    }
    long token = raw + seen.tokens().offset();
    if (!seen.tokens().admits(token, token)) {
      wantedCeiling = token + 1_000;
      return;
    }
    works[name] = new Work(claim, name, footing, deadline);
    world.granted(number, name, token);
  }

  private void upgrade(Work work, ModeRecord seen) {
    world.send(
        this,
        true,
        () -> world.take(true, key(work.name, seen.primaryNames()), work.claim, LOCK_LEASE),
        token -> {
          if (token != 0 && works[work.name] == work && !work.lost) {
            work.footing = new Footing(seen.primaryNames(), work.footing.backup());
          }
        });
  }

  private void end(Work work) {
    if (works[work.name] == work) {
      end(work.name);
    }
  }

  private void end(int name) {
    Work work = works[name];
    if (work == null) {
      return;
    }
    works[name] = null;
    Footing footing = work.footing;
    if (footing.primary() != 0) {
      world.send(this, true, () -> release(true, work, footing.primary()), done -> {});
    }
    if (footing.backup() != 0) {
      world.send(this, false, () -> release(false, work, footing.backup()), done -> {});
    }
  }

  private boolean release(boolean primary, Work work, long epoch) {
    world.release(primary, key(work.name, epoch), work.claim);
    return true;
  }
}
