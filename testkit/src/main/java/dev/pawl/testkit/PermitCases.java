package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** I1 for semaphores: k of n permits, and never more than n. */
@Needs(Capability.SEMAPHORE)
@Tag("safety")
abstract class PermitCases extends SpiCases {

  PermitCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void asManyAreGrantedAsThereArePermits() {
    List<ScriptedClaim> holders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ScriptedClaim holder = node("n" + i).claim(name()).permits(1, 3);
      holder.take();
      holders.add(holder);
    }

    assertThat(node("x").claim(name()).permits(1, 3).beRefused().holders()).isEqualTo(3);
    holders.get(1).release();

    node("y").claim(name()).permits(1, 3).take();
    node("z").claim(name()).permits(1, 3).beRefused();
  }

  @Test
  void permitsAreAddedUp() {
    ScriptedClaim two = node("a").claim(name()).permits(2, 5);
    two.take();

    node("b").claim(name()).permits(4, 5).beRefused();
    ScriptedClaim three = node("c").claim(name()).permits(3, 5);
    three.take();
    node("d").claim(name()).permits(1, 5).beRefused();
    two.release();

    node("e").claim(name()).permits(3, 5).beRefused();
    node("f").claim(name()).permits(2, 5).take();
  }

  @Test
  void oneClaimMayTakeThemAll() {
    ScriptedClaim all = node("a").claim(name()).permits(5, 5);
    all.take();

    node("b").claim(name()).permits(1, 5).beRefused();
    all.release();

    node("c").claim(name()).permits(1, 5).take();
  }

  @Test
  void aClaimIsJudgedByItsOwnCapacity() {
    node("a").claim(name()).permits(2, 2).take();

    node("b").claim(name()).permits(1, 2).beRefused();
    node("c").claim(name()).permits(1, 3).take();
  }

  @Test
  void anExclusiveClaimAndASemaphoreOfOneNameKeepEachOtherOut() {
    ScriptedClaim permit = node("a").claim(name()).permits(1, 4);
    permit.take();
    ScriptedNode b = node("b");
    b.claim(name()).beRefused();
    permit.release();
    b.claim(name()).take();

    node("c").claim(name()).permits(1, 4).beRefused();
  }

  @Test
  void aHugeCapacityDoesNotOverflow() {
    int all = Command.EVERYTHING;
    node("a").claim(name()).permits(all - 1, all).take();
    node("b").claim(name()).permits(1, all).take();

    node("c").claim(name()).permits(1, all).beRefused();
    node("d").claim(name()).permits(all - 1, all).beRefused();
  }

  @Test
  void moreThanThereAreAreNeverOut() throws Exception {
    List<ScriptedNode> nodes = List.of(node("a"), node("b"), node("c"), node("d"));
    AtomicInteger out = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Together.run(
        nodes.size(),
        i -> {
          for (int round = 0; round < 40; round++) {
            int permits = 1 + (i + round) % 3;
            ScriptedClaim claim = nodes.get(i).claim(name()).permits(permits, 4);
            if (claim.askOnce() instanceof AcquireReply.Granted) {
              most.accumulateAndGet(out.addAndGet(permits), Math::max);
              out.addAndGet(-permits);
              claim.release();
            }
          }
        });
    assertThat(most.get()).isBetween(1, 4);
  }

  @Test
  @Needs(Capability.FAIR)
  void aSmallClaimDoesNotOvertakeALargeOneThatIsFair() {
    ScriptedClaim holder = node("a").claim(name()).permits(2, 3);
    ScriptedClaim large = node("b").claim(name()).permits(3, 3);
    ScriptedClaim small = node("c").claim(name()).permits(1, 3);
    holder.take();
    large.enqueue();
    small.enqueue();

    node("d").claim(name()).permits(1, 3).beRefused();
    holder.release();

    large.mustHold();
    small.mustWait();
    large.release();
    small.mustHold();
  }

  @Test
  @Needs(Capability.FAIR)
  void aSmallClaimOvertakesALargeOneThatIsNotFair() {
    ScriptedClaim holder = node("a").claim(name()).permits(2, 3);
    ScriptedClaim large = node("b").claim(name()).permits(3, 3).unfair();
    ScriptedClaim small = node("c").claim(name()).permits(1, 3).unfair();
    holder.take();
    large.enqueue();

    assertThat(small.ask()).isInstanceOf(AcquireReply.Granted.class);

    holder.release();
    large.mustWait();
    small.release();
    large.mustHold();
  }

  @Test
  @Needs(Capability.FAIR)
  void oneReleaseGrantsAllWhoFit() {
    ScriptedClaim holder = node("a").claim(name()).permits(3, 3);
    ScriptedNode b = node("b");
    ScriptedNode c = node("c");
    ScriptedClaim first = b.claim(name()).permits(1, 3);
    ScriptedClaim second = c.claim(name()).permits(2, 3);
    ScriptedClaim third = node("d").claim(name()).permits(1, 3);
    holder.take();
    first.enqueue();
    second.enqueue();
    third.enqueue();

    holder.release();

    b.hearsOf(first);
    c.hearsOf(second);
    long firstToken = first.mustHold().token();
    assertThat(second.mustHold().token()).isGreaterThan(firstToken);
    third.mustWait();
  }

  @Test
  @Needs(Capability.FAIR)
  void permitsGivenUpByARenewalGoToTheQueue() {
    ScriptedClaim holder = node("a").claim(name()).permits(3, 3);
    ScriptedClaim waiter = node("b").claim(name()).permits(2, 3);
    holder.take();
    waiter.enqueue();

    holder.permits(1, 3).mustHold();

    waiter.mustHold();
    node("c").claim(name()).permits(1, 3).beRefused();
  }
}
