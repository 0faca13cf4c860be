package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many callers of one node for one name: what they cost the store, and what each of them gets. */
class CrowdTest {

  private static final int CALLERS = 1_000;

  private final PuppetNode node = new PuppetNode(0);

  @Test
  void aThousandCallersOfASemaphoreStandInTheStoresQueueOnce() {
    List<Waiter> waiters = call(semaphore(4), CALLERS, Waiter.NO_DEADLINE);
    assertThat(served(waiters)).isEqualTo(4);
    assertThat(waitingInTheStore()).isOne();
    assertThat(holdingInTheStore()).isEqualTo(4);
  }

  @Test
  void everyOneOfThemIsServedInTheOrderInWhichTheyCame() {
    List<Waiter> waiters = call(semaphore(4), CALLERS, Waiter.NO_DEADLINE);
    for (int i = 0; i < CALLERS; i++) {
      assertThat(waiters.get(i).outcome).describedAs("caller %d", i).isDone();
      node.engine.releaseInBackground(PuppetNode.lease(waiters.get(i)));
      assertThat(waitingInTheStore()).isLessThanOrEqualTo(1);
    }
    assertThat(node.engine.queues()).isEmpty();
    assertThat(holdingInTheStore()).isZero();
  }

  @Test
  void twoNodesStandInTheQueueOnceEach() {
    PuppetNode other = node.neighbour("other");
    call(semaphore(4), CALLERS, Waiter.NO_DEADLINE);
    for (int i = 0; i < CALLERS; i++) {
      other.call(semaphore(4), Waiter.NO_DEADLINE);
    }
    assertThat(waitingInTheStore()).isEqualTo(2);
  }

  @Test
  void differentNumbersOfPermitsAreDifferentKinds() {
    call(semaphore(4), 5, Waiter.NO_DEADLINE);
    Request two = new Request("x", 2, 4, LockOptions.DEFAULT, OptionalLong.empty());
    call(two, 5, Waiter.NO_DEADLINE);
    assertThat(waitingInTheStore()).isEqualTo(2);
  }

  @Test
  void aThousandReadersHoldTogetherAndAWriterBehindThemWaitsForAll() {
    Request reader = Request.shared("x", LockOptions.DEFAULT);
    List<Waiter> readers = call(reader, CALLERS, Waiter.NO_DEADLINE);
    assertThat(served(readers)).isEqualTo(CALLERS);
    Waiter writer = node.call("x", LockOptions.DEFAULT, Waiter.NO_DEADLINE);
    List<Waiter> late = call(reader, CALLERS, Waiter.NO_DEADLINE);
    assertThat(waitingInTheStore()).isEqualTo(2);
    readers.forEach(waiter -> node.engine.releaseInBackground(PuppetNode.lease(waiter)));
    assertThat(writer.outcome).isDone();
    assertThat(served(late)).isZero();
    node.engine.releaseInBackground(PuppetNode.lease(writer));
    assertThat(node.bugs).isEmpty();
    assertThat(served(late)).isEqualTo(CALLERS);
  }

  @Test
  void acquiresUnderWayAreBoundedAndBeginWithOne() {
    node.heldBack = Set.of("acquire");
    Request reader = Request.shared("x", LockOptions.DEFAULT);
    List<Waiter> readers = call(reader, CALLERS, Waiter.NO_DEADLINE);
    int most = 0;
    while (served(readers) < CALLERS) {
      List<PuppetNode.Message> sent = List.copyOf(node.messages);
      most = Math.max(most, sent.size());
      node.messages.clear();
      sent.forEach(PuppetNode.Message::answer);
    }
    assertThat(most).isEqualTo(Contender.MOST_ASKING);
  }

  @Test
  void thoseWhoseTimeIsUpLeaveNothingBehind() {
    Waiter holder = node.call(Request.exclusive("x", LockOptions.DEFAULT), 0);
    List<Waiter> waiters = call(semaphore(4), CALLERS, PuppetNode.SECOND);
    node.pass(2 * PuppetNode.SECOND);
    assertThat(waiters).allMatch(waiter -> waiter.outcome.getNow(null) instanceof Outcome.Refused);
    assertThat(waitingInTheStore()).isZero();
    node.engine.releaseInBackground(PuppetNode.lease(holder));
    assertThat(node.engine.queues()).isEmpty();
  }

  @Test
  void nowOrNeverIsAnsweredByTheStoreUnlessSomebodyHereWaits() {
    assertThat(served(call(semaphore(4), 6, 0))).isEqualTo(4);
    assertThat(waitingInTheStore()).isZero();
    call(semaphore(4), 1, Waiter.NO_DEADLINE);
    node.heldBack = Set.of("acquire");
    Waiter refused = node.call(semaphore(4), 0);
    assertThat(refused.outcome.getNow(null)).isInstanceOf(Outcome.Refused.class);
    assertThat(node.messages).isEmpty();
  }

  private static Request semaphore(int capacity) {
    return new Request("x", 1, capacity, LockOptions.DEFAULT, OptionalLong.empty());
  }

  private List<Waiter> call(Request request, int times, long waitNanos) {
    List<Waiter> waiters = new ArrayList<>();
    IntStream.range(0, times).forEach(i -> waiters.add(node.call(request, waitNanos)));
    return waiters;
  }

  private static long served(List<Waiter> waiters) {
    return waiters.stream()
        .filter(waiter -> waiter.outcome.getNow(null) instanceof Outcome.Held)
        .count();
  }

  private int waitingInTheStore() {
    return node.server
        .find("x")
        .toCompletableFuture()
        .join()
        .map(info -> info.waiters().size())
        .orElse(0);
  }

  private int holdingInTheStore() {
    return node.server
        .find("x")
        .toCompletableFuture()
        .join()
        .map(info -> info.holders().size())
        .orElse(0);
  }
}
