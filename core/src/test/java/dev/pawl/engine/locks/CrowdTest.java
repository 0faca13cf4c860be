package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.claims.Request;
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
    List<Caller> callers = call(semaphore(4), CALLERS, Caller.NO_DEADLINE);
    assertThat(served(callers)).isEqualTo(4);
    assertThat(waitingInTheStore()).isOne();
    assertThat(holdingInTheStore()).isEqualTo(4);
  }

  @Test
  void everyOneOfThemIsServedInTheOrderInWhichTheyCame() {
    List<Caller> callers = call(semaphore(4), CALLERS, Caller.NO_DEADLINE);
    for (int i = 0; i < CALLERS; i++) {
      assertThat(callers.get(i).outcome).describedAs("caller %d", i).isDone();
      node.engine.releaseInBackground(PuppetNode.lease(callers.get(i)));
      assertThat(waitingInTheStore()).isLessThanOrEqualTo(1);
    }
    assertThat(node.engine.namesInUse()).isEmpty();
    assertThat(holdingInTheStore()).isZero();
  }

  @Test
  void twoNodesStandInTheQueueOnceEach() {
    PuppetNode other = node.neighbour("other");
    call(semaphore(4), CALLERS, Caller.NO_DEADLINE);
    for (int i = 0; i < CALLERS; i++) {
      other.call(semaphore(4), Caller.NO_DEADLINE);
    }
    assertThat(waitingInTheStore()).isEqualTo(2);
  }

  @Test
  void differentNumbersOfPermitsAreDifferentKinds() {
    call(semaphore(4), 5, Caller.NO_DEADLINE);
    Request two = new Request("x", 2, 4, LockOptions.DEFAULT, OptionalLong.empty());
    call(two, 5, Caller.NO_DEADLINE);
    assertThat(waitingInTheStore()).isEqualTo(2);
  }

  @Test
  void aThousandReadersHoldTogetherAndAWriterBehindThemWaitsForAll() {
    Request reader = Request.shared("x", LockOptions.DEFAULT);
    List<Caller> readers = call(reader, CALLERS, Caller.NO_DEADLINE);
    assertThat(served(readers)).isEqualTo(CALLERS);
    Caller writer = node.call("x", LockOptions.DEFAULT, Caller.NO_DEADLINE);
    List<Caller> late = call(reader, CALLERS, Caller.NO_DEADLINE);
    assertThat(waitingInTheStore()).isEqualTo(2);
    readers.forEach(caller -> node.engine.releaseInBackground(PuppetNode.lease(caller)));
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
    List<Caller> readers = call(reader, CALLERS, Caller.NO_DEADLINE);
    int most = 0;
    while (served(readers) < CALLERS) {
      List<PuppetNode.Message> sent = List.copyOf(node.messages);
      most = Math.max(most, sent.size());
      node.messages.clear();
      sent.forEach(PuppetNode.Message::answer);
    }
    assertThat(most).isEqualTo(ClaimPool.MOST_ASKING);
  }

  @Test
  void thoseWhoseTimeIsUpLeaveNothingBehind() {
    Caller holder = node.call(Request.exclusive("x", LockOptions.DEFAULT), 0);
    List<Caller> callers = call(semaphore(4), CALLERS, PuppetNode.SECOND);
    node.pass(2 * PuppetNode.SECOND);
    assertThat(callers)
        .allMatch(caller -> caller.outcome.getNow(null) instanceof CallResult.Refused);
    assertThat(waitingInTheStore()).isZero();
    node.engine.releaseInBackground(PuppetNode.lease(holder));
    assertThat(node.engine.namesInUse()).isEmpty();
  }

  @Test
  void nowOrNeverIsAnsweredByTheStoreUnlessSomebodyHereWaits() {
    assertThat(served(call(semaphore(4), 6, 0))).isEqualTo(4);
    assertThat(waitingInTheStore()).isZero();
    call(semaphore(4), 1, Caller.NO_DEADLINE);
    node.heldBack = Set.of("acquire");
    Caller refused = node.call(semaphore(4), 0);
    assertThat(refused.outcome.getNow(null)).isInstanceOf(CallResult.Refused.class);
    assertThat(node.messages).isEmpty();
  }

  private static Request semaphore(int capacity) {
    return new Request("x", 1, capacity, LockOptions.DEFAULT, OptionalLong.empty());
  }

  private List<Caller> call(Request request, int times, long waitNanos) {
    List<Caller> callers = new ArrayList<>();
    IntStream.range(0, times).forEach(i -> callers.add(node.call(request, waitNanos)));
    return callers;
  }

  private static long served(List<Caller> callers) {
    return callers.stream()
        .filter(caller -> caller.outcome.getNow(null) instanceof CallResult.Held)
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
