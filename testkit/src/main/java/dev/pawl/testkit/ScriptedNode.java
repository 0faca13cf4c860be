package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A node as a store sees it: does what the case says and nothing by itself. */
final class ScriptedNode implements AutoCloseable {

  private final LockStore store;
  private final String id = UUID.randomUUID().toString().replace("-", "");
  private final String label;
  private final Duration patience;
  private final Consumer<Duration> waitedInVain;
  private final AtomicLong counter = new AtomicLong();
  private final List<ScriptedClaim> claims = new CopyOnWriteArrayList<>();
  private final List<Signal> signals = new CopyOnWriteArrayList<>();
  private final LockStore.Subscription subscription;

  /**
   * Subscribes a node to that instance of the store.
   *
   * @param waitedInVain is told of a wait after which nothing was heard
   */
  ScriptedNode(LockStore store, String label, Duration patience, Consumer<Duration> waitedInVain) {
    this.store = store;
    this.label = label;
    this.patience = patience;
    this.waitedInVain = waitedInVain;
    this.subscription = store.subscribe(id, signals::add);
  }

  LockStore store() {
    return store;
  }

  String label() {
    return label;
  }

  /** An exclusive, fair claim on the name with a lease of ten seconds, not sent yet. */
  ScriptedClaim claim(String name) {
    ScriptedClaim claim = new ScriptedClaim(this, name, new ClaimId(id, counter.incrementAndGet()));
    claims.add(claim);
    return claim;
  }

  /** Gives up all that it has ever claimed, whatever has become of it. */
  void giveUp() {
    for (ScriptedClaim claim : claims) {
      try {
        claim.cancel();
      } catch (AssertionError e) {
        // The store does not answer; then it ends with its lease.
      }
    }
  }

  /** Renews claims of this node in one call, each as it was made. */
  List<RenewReply> renew(ScriptedClaim... claims) {
    List<Command.Renew> commands = Arrays.stream(claims).map(ScriptedClaim::renewal).toList();
    return Replies.of(store.renew(commands));
  }

  /** The signals so far, the first one first. */
  List<Signal> signals() {
    return List.copyOf(signals);
  }

  /** The grants of that claim among the signals so far. */
  List<Signal.Granted> grantSignals(ScriptedClaim claim) {
    return signals.stream()
        .filter(signal -> signal instanceof Signal.Granted)
        .map(Signal.Granted.class::cast)
        .filter(signal -> signal.grant().claim().equals(claim.id()))
        .toList();
  }

  /** Waits until the node has been told that this claim, or that its name, has changed. */
  void hearsOf(ScriptedClaim claim) {
    Predicate<Signal> concerns =
        signal -> {
          if (signal instanceof Signal.Changed changed) {
            return changed.name().equals(claim.name());
          }
          return signal instanceof Signal.Missed
              || signal.recipient().filter(claim.id()::equals).isPresent();
        };
    long deadline = System.nanoTime() + patience.toNanos();
    Optional<Signal> heard = signals.stream().filter(concerns).findFirst();
    while (heard.isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
      heard = signals.stream().filter(concerns).findFirst();
    }
    if (heard.isEmpty()) {
      waitedInVain.accept(patience); // However the machine stalled before: this was long enough.
    }
    assertThat(heard)
        .as(
            "node %s heard nothing of %s within %s; all it heard: %s",
            label, claim, patience, signals)
        .isPresent();
  }

  /** Ends the subscription: from now on the node hears nothing. */
  @Override
  public void close() {
    subscription.close();
  }
}
