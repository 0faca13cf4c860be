package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Tag;

/** Cases that send a store its commands one by one, in the store's time. */
@Tag("spi")
abstract class SpiCases extends StoreCases {

  /** How far the ends of one lease may be apart where a store adds up several clocks. */
  static final Offset<Long> A_SECOND = Offset.offset(1_000_000L);

  /** How long after its end a lease is found to have ended, where a timer ends it that stalls. */
  static final Duration LATE = Duration.ofSeconds(4);

  /**
   * A case that is held up for so long is not judged by what depends on it: a waiter that is silent
   * for two seconds loses its place, and for some of them the case may let time pass besides.
   */
  private static final Duration STALL = Duration.ofMillis(1_500);

  /** A case that is held up for longer than this hangs, for which there is no excuse. */
  private static final Duration LONGEST_STALL = Duration.ofSeconds(15);

  private final List<ScriptedNode> nodes = new ArrayList<>();

  SpiCases(StoreConformance suite) {
    super(suite);
  }

  /** A node, on one and then on the other instance of the store. */
  final ScriptedNode node(String label) {
    ScriptedNode node = closedAtTheEnd(node(store(nodes.size() % 2), label));
    nodes.add(node);
    return node;
  }

  /** A node on that instance, which the case closes. */
  final ScriptedNode node(LockStore on, String label) {
    return new ScriptedNode(on, label, suite.patience(), this::meant);
  }

  /**
   * The case was held up, and for this it matters: a waiter may have lost its place meanwhile, or
   * the store's own client has given up a call.
   */
  @Override
  final boolean isSpoilt(Throwable failure, boolean queues) {
    Duration heldUp = heldUp();
    return heldUp.compareTo(STALL) > 0
        && heldUp.compareTo(LONGEST_STALL) < 0
        && (queues || isUnanswered(failure));
  }

  /** So that nothing of it is taken for a leftover of the next attempt. */
  @Override
  final void giveUp() {
    nodes.forEach(ScriptedNode::giveUp);
    nodes.clear();
  }

  private static boolean isUnanswered(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof StoreUnavailableException || each instanceof OutcomeUnknownException) {
        return true;
      }
    }
    return false;
  }

  /** Names that the store keeps in one shard. */
  final List<String> namesOfOneShard(int count) {
    List<String> names = new ArrayList<>();
    String shard = store().shard(name("0"));
    for (int i = 0; names.size() < count; i++) {
      if (store().shard(name("" + i)).equals(shard)) {
        names.add(name("" + i));
      }
    }
    return names;
  }

  /**
   * A holder whose lease ends soon, and those who wait behind it.
   *
   * @param grant what the holder was given
   */
  record BriefHold(ScriptedClaim holder, Grant grant, List<ScriptedClaim> waiters) {}

  /** A hold that ends soon, and waiters who came before that. */
  final BriefHold briefHold(ScriptedNode holding, ScriptedNode... waiting) throws Exception {
    return madeInTime(
        suite.shortLease(),
        name -> {
          ScriptedClaim holder = holding.claim(name).lease(suite.shortLease());
          Grant grant = holder.take();
          List<ScriptedClaim> waiters = new ArrayList<>();
          for (ScriptedNode each : waiting) {
            ScriptedClaim waiter = each.claim(name);
            AcquireReply reply = waiter.ask();
            if (!(reply instanceof AcquireReply.Queued)) {
              waiter.cancel(); // Else it would be there for long.
              fail("%s should wait, and got %s", waiter, reply);
            }
            waiters.add(waiter);
          }
          return new BriefHold(holder, grant, waiters);
        });
  }

  /** A grant that lasts no longer than its lease, and not much shorter. */
  static void lastsFor(Duration lease, Grant grant) {
    long micros = lease.toNanos() / 1_000;
    assertThat(grant.untilMicros() - grant.nowMicros())
        .as("how long %s lasts", grant)
        .isBetween(micros - micros / 4, micros);
  }
}
