package dev.pawl.testkit;

import dev.pawl.LockInfo;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A store that passes everything on to another: the base of those that count, delay or break. */
public class ForwardingStore implements LockStore {

  private final LockStore next;

  /** Stands in front of {@code next}. */
  protected ForwardingStore(LockStore next) {
    this.next = next;
  }

  @Override
  public Optional<String> mode() {
    return next.mode();
  }

  @Override
  public String describe() {
    return next.describe();
  }

  @Override
  public Set<Capability> capabilities() {
    return next.capabilities();
  }

  @Override
  public boolean blocking() {
    return next.blocking();
  }

  @Override
  public String shard(String name) {
    return next.shard(name);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return next.subscribe(node, listener);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return next.acquire(command);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return next.renew(commands);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return next.release(command);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return next.yieldGrant(command);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return next.cancel(command);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return next.evict(command);
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return next.reset(command);
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return next.find(name);
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return next.list(listing);
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return next.nowMicros();
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return next.examine();
  }

  @Override
  public Journal journal() {
    return next.journal();
  }

  @Override
  public Registers registers() {
    return next.registers();
  }

  @Override
  public void close() {
    next.close();
  }
}
