package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.LockInfo;
import dev.pawl.hazelcast.member.Entries;
import dev.pawl.hazelcast.member.LockLook;
import dev.pawl.hazelcast.member.LockTurn;
import dev.pawl.hazelcast.member.Wire;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A store in a Hazelcast cluster, whose members have Pawl on their class path.
 *
 * <p>Opened by URL, with a client of its own, or over a member or client that the application has:
 * that one is closed by the application.
 */
public final class HazelcastStore implements LockStore {

  /** A key for nothing else than to ask a member for its time. */
  private static final String CLOCK = "pawl:clock";

  private static final Comparator<LockInfo> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.name().getBytes(StandardCharsets.UTF_8), b.name().getBytes(StandardCharsets.UTF_8));

  private final HazelcastInstance instance;
  private final boolean own;
  private final String where;
  private final HazelcastOptions options;
  private final HazelcastSignals signals;
  private final HazelcastCalls calls;
  private final Entries locks;
  private final HazelcastRenewals renewals;
  private final HazelcastJournal journal;
  private final HazelcastRegisters registers;

  HazelcastStore(HazelcastInstance instance, boolean own, String where, HazelcastOptions options) {
    this.instance = instance;
    this.own = own;
    this.where = where;
    this.options = options;
    this.signals = new HazelcastSignals(instance, options.prefix());
    this.calls = new HazelcastCalls(instance, where, options.timeout(), signals::missed);
    this.locks = entries(options.locks());
    this.renewals = new HazelcastRenewals(instance, calls, options, locks);
    this.journal = new HazelcastJournal(calls, entries(options.journal()));
    this.registers = new HazelcastRegisters(calls, entries(options.registers()));
  }

  private Entries entries(String map) {
    return new Entries(instance, instance.getMap(map));
  }

  /**
   * Opens the store at a URL, {@code hazelcast://CLUSTER@HOST:PORT,…}, with a client of its own.
   *
   * @throws IllegalArgumentException if the URL is malformed
   * @throws dev.pawl.StoreUnavailableException if it cannot be reached
   */
  public static HazelcastStore open(String url) {
    return open(url, HazelcastOptions.DEFAULT);
  }

  /** Opens the store at a URL with these options, where the URL says nothing else. */
  public static HazelcastStore open(String url, HazelcastOptions options) {
    return HazelcastClients.open(HazelcastUrl.parse(url), options);
  }

  /** Opens the store over an instance of the application, a member or a client. */
  public static HazelcastStore of(HazelcastInstance instance) {
    return of(instance, HazelcastOptions.DEFAULT);
  }

  /** Opens the store over an instance of the application with these options. */
  public static HazelcastStore of(HazelcastInstance instance, HazelcastOptions options) {
    return HazelcastClients.over(instance, options);
  }

  @Override
  public String describe() {
    return where;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  /**
   * Returns what is renewed with the name: one member that is stalled does not delay the others.
   */
  @Override
  public String shard(String name) {
    return renewals.shard(name);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return signals.subscribe(node, listener);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return turn(command, AcquireReply.class);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return renewals.renew(commands);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return turn(command, ReleaseReply.class);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return turn(command, AcquireReply.class);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return turn(command, CancelReply.class);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return turn(command, EvictReply.class);
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return turn(command, ResetReply.class);
  }

  private <R> CompletionStage<R> turn(Command command, Class<R> reply) {
    LockTurn turn = new LockTurn(options.prefix(), command.name(), List.of(command));
    return calls.submit(
        locks, command.name(), turn, answer -> reply.cast(Wire.read(answer, Wire::reply)));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return look(name, answer -> LockLook.info(name, answer));
  }

  private <T> CompletionStage<T> look(String name, Function<byte[], T> read) {
    return calls.submit(locks, name, new LockLook(), read);
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return calls.run(
        () -> {
          List<LockInfo> found = new ArrayList<>();
          locks
              .map()
              .executeOnEntries(new LockLook(listing))
              .forEach((name, answer) -> LockLook.info(name, answer).ifPresent(found::add));
          found.sort(BY_BYTES);
          return List.copyOf(found.subList(0, Math.min(listing.limit(), found.size())));
        });
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return look(CLOCK, LockLook::micros);
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return calls.run(() -> new HazelcastExamination(instance, options).findings());
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public Registers registers() {
    return registers;
  }

  @Override
  public void close() {
    calls.close();
    if (own) {
      instance.shutdown();
    }
  }
}
